// The time of an episode, shared by everything that shows it. Steps are counted from 0; the time between two steps has a fraction.

export const SPEEDS = [0.5, 1, 2, 4, 8];
const STEPS_PER_SECOND = 2; // at speed 1

export class Clock {
  position = 0;
  playing = false;
  speed = 1;
  private length = 1;
  private previous: number | null = null;
  private readonly onFrame = new Set<() => void>();
  private readonly onChange = new Set<() => void>();

  get step(): number {
    return Math.floor(this.position + 1e-9);
  }

  get last(): number {
    return this.length - 1;
  }

  /** Called for every drawn frame while it runs, and after every jump. */
  eachFrame(listener: () => void): () => void {
    this.onFrame.add(listener);
    return () => this.onFrame.delete(listener);
  }

  /** Called when the step changes, and when the clock starts or stops. */
  eachChange(listener: () => void): () => void {
    this.onChange.add(listener);
    return () => this.onChange.delete(listener);
  }

  setLength(length: number): void {
    this.length = Math.max(1, length);
    if (this.position > this.last) this.seek(this.last);
  }

  seek(position: number): void {
    this.position = Math.max(0, Math.min(this.last, position));
    this.announce(true);
  }

  stepBy(steps: number): void {
    this.pause();
    this.seek(this.step + steps);
  }

  play(): void {
    if (this.playing) return;
    if (this.position >= this.last) this.position = 0;
    this.playing = true;
    this.previous = null;
    this.announce(true);
    requestAnimationFrame(this.tick);
  }

  pause(): void {
    if (!this.playing) return;
    this.playing = false;
    this.position = this.step;
    this.announce(true);
  }

  toggle(): void {
    if (this.playing) this.pause();
    else this.play();
  }

  setSpeed(speed: number): void {
    this.speed = speed;
    this.announce(true);
  }

  faster(by: number): void {
    const place = SPEEDS.indexOf(this.speed) + by;
    this.setSpeed(SPEEDS[Math.max(0, Math.min(SPEEDS.length - 1, place))]!);
  }

  private readonly tick = (now: number): void => {
    if (!this.playing) return;
    // A tab in the background gets no frames; it should not jump when it is shown again.
    const passed = this.previous === null ? 0 : Math.min(0.25, (now - this.previous) / 1000);
    this.previous = now;
    const before = this.step;
    this.position = Math.min(this.last, this.position + passed * STEPS_PER_SECOND * this.speed);
    if (this.position >= this.last) this.playing = false;
    this.announce(this.step !== before || !this.playing);
    if (this.playing) requestAnimationFrame(this.tick);
  };

  private announce(changed: boolean): void {
    for (const listener of this.onFrame) listener();
    if (changed) for (const listener of this.onChange) listener();
  }
}
