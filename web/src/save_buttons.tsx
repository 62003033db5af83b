// "Save SVG, PNG" below a chart.
import { render } from "preact";
import { type Figure } from "./figure";
import { FigureSvg } from "./figure_svg";
import { inkOf, useTheme } from "./look";
import { savePng, saveSvg, standalone } from "./save";

interface Props {
  title: string;
  figure?: Figure | undefined; // either this is drawn ...
  drawing?: () => SVGSVGElement | null; // ... or this is there already
}

export function SaveButtons({ title, figure, drawing }: Props) {
  const ink = inkOf(useTheme());
  const made = (): SVGSVGElement | null => {
    if (figure) {
      const holder = document.createElement("div");
      render(<FigureSvg figure={figure} ink={ink} />, holder);
      return holder.querySelector("svg");
    }
    const found = drawing?.();
    return found ? standalone(found, ink.paper) : null;
  };
  const asSvg = () => {
    const svg = made();
    if (svg) saveSvg(svg, title);
  };
  const asPng = () => {
    const svg = made();
    if (svg) void savePng(svg, title);
  };
  return (
    <span class="save">
      save
      <button type="button" class="quiet" onClick={asSvg} aria-label={`Save as SVG: ${title}`}>
        SVG
      </button>
      <button type="button" class="quiet" onClick={asPng} aria-label={`Save as PNG: ${title}`}>
        PNG
      </button>
    </span>
  );
}
