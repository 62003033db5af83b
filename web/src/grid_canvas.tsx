// The grid as part of the page: it follows the clock and names the cell under the pointer.
import { useEffect, useRef } from "preact/hooks";
import type { Clock } from "./clock";
import { aspectOf, drawGrid, freshContext, pictureAt, stateAt, type Scene } from "./grid";

interface Props {
  clock?: Clock; // without one the scene's own position holds
  scene: (step: number) => Omit<Scene, "position">;
  position?: number;
  label: string;
  onPoint?: (state: number | null) => void;
}

export function GridCanvas({ clock, scene, position, label, onPoint }: Props) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const draw = () => {
    const target = canvas.current;
    if (!target) return;
    const width = target.clientWidth;
    const height = target.clientHeight;
    if (width === 0) return;
    const at = clock && position === undefined ? clock.position : (position ?? 0);
    drawGrid(freshContext(target, width, height), { x: 0, y: 0, width, height }, { ...scene(Math.floor(at + 1e-9)), position: at });
  };
  const latest = useRef(draw);
  latest.current = draw;
  useEffect(() => draw());
  useEffect(() => {
    const watcher = new ResizeObserver(() => latest.current());
    watcher.observe(canvas.current!);
    let drawn = -1;
    const follow = () => {
      const picture = pictureAt(clock!.position);
      if (picture !== drawn) latest.current();
      drawn = picture;
    };
    const stop = position === undefined ? clock?.eachFrame(follow) : undefined;
    return () => {
      watcher.disconnect();
      stop?.();
    };
  }, [clock, position === undefined]);
  const { family } = scene(0);
  const point = (event: PointerEvent) => {
    const box = canvas.current!.getBoundingClientRect();
    onPoint?.(stateAt(family, { x: 0, y: 0, width: box.width, height: box.height }, event.clientX - box.left, event.clientY - box.top));
  };
  return (
    <canvas
      ref={canvas}
      role="img"
      aria-label={label}
      style={{ aspectRatio: `${aspectOf(family)}` }}
      {...(onPoint ? { onPointerMove: point, onPointerLeave: () => onPoint(null) } : {})}
    />
  );
}
