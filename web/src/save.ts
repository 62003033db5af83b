// Files for the reader: a chart as SVG or PNG.

export function fileName(title: string, ending: string): string {
  const stem = title
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-+|-+$/g, "")
    .slice(0, 60);
  return `${stem || "chart"}.${ending}`;
}

export function download(content: Blob, name: string): void {
  const address = URL.createObjectURL(content);
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  document.body.append(link);
  link.click();
  link.remove();
  // The browser needs the address until it has begun to read the file.
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

// The styles that a drawing gets from the style sheet of the page and must contain when it is saved.
const CARRIED = ["fill", "stroke", "stroke-width", "stroke-dasharray", "opacity", "font-family", "font-size", "font-weight", "text-anchor"];

/** A drawing of the page as a file of its own, with a background. */
export function standalone(drawing: SVGSVGElement, background: string): SVGSVGElement {
  const copy = drawing.cloneNode(true) as SVGSVGElement;
  const originals = [drawing, ...drawing.querySelectorAll("*")];
  const copies = [copy, ...copy.querySelectorAll("*")];
  originals.forEach((original, index) => {
    const style = getComputedStyle(original);
    const target = copies[index]!;
    for (const name of CARRIED) target.setAttribute(name, style.getPropertyValue(name));
    target.removeAttribute("class");
    target.removeAttribute("style");
  });
  const [, , width, height] = (drawing.getAttribute("viewBox") ?? "0 0 600 400").split(" ");
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  copy.setAttribute("width", width!);
  copy.setAttribute("height", height!);
  const ground = document.createElementNS("http://www.w3.org/2000/svg", "rect");
  ground.setAttribute("width", width!);
  ground.setAttribute("height", height!);
  ground.setAttribute("fill", background);
  copy.prepend(ground);
  return copy;
}

function svgText(drawing: SVGSVGElement): string {
  return `<?xml version="1.0" encoding="UTF-8"?>\n${new XMLSerializer().serializeToString(drawing)}\n`;
}

export function saveSvg(drawing: SVGSVGElement, title: string): void {
  download(new Blob([svgText(drawing)], { type: "image/svg+xml" }), fileName(title, "svg"));
}

export async function savePng(drawing: SVGSVGElement, title: string): Promise<void> {
  const width = Number(drawing.getAttribute("width"));
  const height = Number(drawing.getAttribute("height"));
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svgText(drawing))}`;
  await image.decode();
  const canvas = document.createElement("canvas");
  canvas.width = width * 2;
  canvas.height = height * 2;
  canvas.getContext("2d")!.drawImage(image, 0, 0, canvas.width, canvas.height);
  const content = await new Promise<Blob | null>((done) => canvas.toBlob(done, "image/png"));
  if (content) download(content, fileName(title, "png"));
}
