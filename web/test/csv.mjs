// Reads RFC 4180 text into objects by column name; imported by page.mjs.
export function parseCsv(text) {
  const rows = [];
  let row = [];
  let field = "";
  let quoted = false;
  for (let at = 0; at < text.length; at++) {
    const sign = text[at];
    if (quoted) {
      if (sign !== '"') field += sign;
      else if (text[at + 1] === '"') {
        field += '"';
        at++;
      } else quoted = false;
    } else if (sign === '"') quoted = true;
    else if (sign === ",") {
      row.push(field);
      field = "";
    } else if (sign === "\n") {
      row.push(field);
      rows.push(row);
      row = [];
      field = "";
    } else if (sign !== "\r") field += sign;
  }
  if (field || row.length) rows.push([...row, field]);
  const [names = [], ...values] = rows;
  return values.map((one) => Object.fromEntries(names.map((name, index) => [name, one[index] ?? ""])));
}
