// What was taught, to take along: a link that holds the model, a replay, a picture, the weights, a proof.

import { bytesIn } from "./data.js";
import { download, element } from "./dom.js";
import { fragmentOf, linkTo } from "./share.js";

const [WIDTH, HEIGHT, EDGE] = [1200, 630, 48];

/**
 * Buttons that hand out a taught model. `now()` gives {model, input, canvas, words} as they stand, `replay(model,
 * input)` the text of a replay, `say(words)` tells what cannot be done. Gives the buttons.
 */
export function handout(now, replay, say) {
  const button = (text, act) => {
    const node = element("button", { type: "button" }, [text]);
    node.addEventListener("click", async () => {
      try {
        await act(node, now());
      } catch (error) {
        say(error.message);
      }
    });
    return node;
  };
  return [
    button("Copy a link to it", async (node, { model, input }) => {
      const link = linkTo(await fragmentOf({ subject: model.key, input }, model));
      try {
        await navigator.clipboard.writeText(link);
        node.textContent = "Copied";
      } catch {
        say(`The link, to copy by hand: ${link}`);
      }
    }),
    button("Save a replay", async (_, { model, input }) =>
      download(`${model.name}.html`, await replay(model, input), "text/html"),
    ),
    button("Save a picture", async (_, shown) => download(`${shown.model.name}.png`, await picture(shown))),
    button("Save the weights", async (_, { model }) =>
      download(`${model.name}.safetensors`, weightsFile(model), "application/octet-stream"),
    ),
  ];
}

/** The board as it stands, with a line below it: the size that previews of links have. */
function picture({ canvas, words }) {
  const made = element("canvas", { width: WIDTH, height: HEIGHT });
  const pen = made.getContext("2d");
  pen.fillStyle = "#f5f2ea";
  pen.fillRect(0, 0, WIDTH, HEIGHT);
  const [width, height] = [WIDTH - 2 * EDGE, HEIGHT - 2 * EDGE - 72];
  const scale = Math.max(width / canvas.width, height / canvas.height);
  const [w, h] = [width / scale, height / scale];
  pen.drawImage(canvas, (canvas.width - w) / 2, (canvas.height - h) / 2, w, h, EDGE, EDGE, width, height);
  pen.fillStyle = "#20292a";
  pen.font = "600 32px system-ui, sans-serif";
  pen.textBaseline = "bottom";
  pen.fillText(words, EDGE, HEIGHT - EDGE, width);
  return new Promise((resolve) => made.toBlob(resolve, "image/png"));
}

/** A model as a weights file, which `dfst` reads: the reverse of format_weights.js. */
export function weightsFile(model) {
  const { alphabet, motions, layout, name, d } = model;
  const [k, m] = [alphabet.length, motions.length];
  const shapes = { A: [k, d, d], B: [k, k, d], C: [k, m, d], h0: [d] };
  const header = {
    __metadata__: { format: "dfst/1", task: "", name, alphabet: alphabet.join(" "), motions: motions.join(" "), start: layout },
  };
  const parts = [];
  let at = 0;
  for (const [each, shape] of Object.entries(shapes)) {
    const bytes = bytesIn(model[each]);
    header[each] = { dtype: model.precision === "float32" ? "F32" : "F64", shape, data_offsets: [at, at + bytes.length] };
    parts.push(bytes);
    at += bytes.length;
  }
  const text = JSON.stringify(header);
  const head = new TextEncoder().encode(text + " ".repeat((8 - (new TextEncoder().encode(text).length % 8)) % 8));
  const size = new DataView(new ArrayBuffer(8));
  size.setBigUint64(0, BigInt(head.length), true);
  return new Blob([size, head, ...parts]);
}
