// A weights file (safetensors) as a model for the page: the twin of `from_bytes` in model/weights.py.

import { base64 } from "./data.js";
import { count } from "./dom.js";
import { MOTION_NAMES } from "./grid.js";
import { checkStart, InputError } from "./input.js";

const TENSORS = ["A", "B", "C", "h0"];
const BLANK = "λ";
/** Bytes before the header, which say how long it is; and how long it may be, as safetensors has it. */
const [HEAD, LONGEST_HEADER] = [8, 100_000_000];
const STEPS_AHEAD = 1_000_000;
const PRECISIONS = { F32: ["float32", 4], F64: ["float64", 8] };
const LAYOUTS = ["first", "last", "operator"];

/** The model in the bytes of a file. `taskCalled(name)` finds {task, alphabet, layout, samples} of a task. */
export async function parseWeights(buffer, file, taskCalled) {
  const { header, data } = opened(new Uint8Array(buffer), file);
  const told = header.__metadata__ ?? {};
  if (told.format !== "dfst/1")
    throw new InputError(
      `${file}: expected metadata format 'dfst/1', found '${told.format}'; it was not written by dfst`,
    );
  for (const key of ["alphabet", "motions", "start"])
    if (told[key] === undefined)
      throw new InputError(`${file}: the metadata lack '${key}'; it was not written by dfst`);
  const [alphabet, motions] = [told.alphabet.split(" "), told.motions.split(" ")];
  if (!LAYOUTS.includes(told.start))
    throw new InputError(`${file}: start must be one of ${LAYOUTS.join(", ")}, found '${told.start}'`);
  const known = told.task ? await taskCalled(told.task) : null;
  if (known !== null && (known.alphabet.join(" ") !== told.alphabet || known.layout !== told.start))
    throw new InputError(
      `${file}: task ${told.task} has the alphabet ${known.alphabet.join(" ")} and starts at ` +
        `'${known.layout}', found others; it was not written by dfst`,
    );
  if (known === null) checkStart(file, told.start);
  const name = told.name || file.replace(/\.safetensors$/, "");
  const { d, precision } = checked(name, header, data, alphabet, motions);
  return {
    name,
    title: name,
    alphabet,
    blank: alphabet.indexOf(BLANK),
    layout: told.start,
    task: known?.task ?? null,
    kind: "dfst",
    origin: name.startsWith("compiled:") ? "compiled DFST" : "learnt DFST",
    limit: STEPS_AHEAD,
    motions,
    d,
    precision,
    samples: known?.samples ?? [],
    samples_seen: told.samples ?? "",
    source: "",
    ...Object.fromEntries(TENSORS.map((each) => [each, base64(bytesOf(header[each], data))])),
  };
}

/** The header of the file, and the bytes behind it. */
function opened(bytes, file) {
  const nothing = new InputError(
    `${file} is not a weights file: expected safetensors with ${TENSORS.join(", ")}`,
  );
  if (bytes.length <= HEAD || bytes[HEAD] !== "{".charCodeAt(0)) throw nothing;
  const start = HEAD + Number(new DataView(bytes.buffer, bytes.byteOffset).getBigUint64(0, true));
  if (start > LONGEST_HEADER) throw nothing;
  whole(bytes, start, file);
  let header;
  try {
    header = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes.subarray(HEAD, start)));
  } catch {
    throw nothing;
  }
  const ends = Object.values(header).map((tensor) => tensor?.data_offsets?.[1] ?? 0);
  whole(bytes, start + Math.max(0, ...ends), file);
  for (const each of TENSORS)
    if (!Array.isArray(header[each]?.shape) || !Array.isArray(header[each].data_offsets))
      throw new InputError(`${file}: the tensor ${each} is missing; it was not written by dfst`);
  return { header, data: bytes.subarray(start) };
}

/** Complain where a file ends before it should. */
function whole(bytes, expected, file) {
  if (bytes.length < expected)
    throw new InputError(
      `${file} is cut off: expected ${count(expected)} bytes, found ${count(bytes.length)}; ` +
        "fetch or copy it again",
    );
}

function bytesOf({ data_offsets: [start, end] }, data) {
  return data.slice(start, end);
}

/** {d, precision} of tensors that fit each other, the alphabet and the motions. */
function checked(name, header, data, alphabet, motions) {
  const [k, m, d] = [alphabet.length, motions.length, header.h0.shape.at(-1) ?? 0];
  const { dtype } = header.h0;
  if (!(dtype in PRECISIONS))
    throw new InputError(`${name}: tensor h0 must be float32 or float64, found ${dtype}`);
  const [precision, size] = PRECISIONS[dtype];
  const shapes = { A: [k, d, d], B: [k, k, d], C: [k, m, d], h0: [d] };
  for (const [each, shape] of Object.entries(shapes)) {
    const tensor = header[each];
    if (String(tensor.shape) !== String(shape))
      throw new InputError(
        `${name}: tensor ${each} must have shape (${shape.join(", ")}) for ${k} symbols and ${m} motions, ` +
          `found (${tensor.shape.join(", ")})`,
      );
    if (tensor.dtype !== dtype)
      throw new InputError(`${name}: tensor ${each} must be ${dtype} like h0, found ${tensor.dtype}`);
    const bytes = bytesOf(tensor, data);
    if (bytes.length !== size * shape.reduce((product, n) => product * n, 1))
      throw new InputError(`${name}: tensor ${each} has ${bytes.length} bytes, which is not its shape`);
    const numbers = size === 4 ? new Float32Array(bytes.buffer) : new Float64Array(bytes.buffer);
    if (!numbers.every((number) => Math.abs(number) < Infinity))
      throw new InputError(`${name}: tensor ${each} holds NaN or infinity; the training run diverged`);
  }
  for (const [what, names] of Object.entries({ symbols: alphabet, motions }))
    if (new Set(names).size < names.length)
      throw new InputError(`${name}: expected ${what} that all differ, found '${names.join(" ")}'`);
  if (!alphabet.includes(BLANK))
    throw new InputError(`${name}: the alphabet must hold the blank ${BLANK}, found ${alphabet.join(" ")}`);
  if (!motions.includes("S") || motions.some((motion) => !MOTION_NAMES.includes(motion)))
    throw new InputError(`${name}: motions must be among U D L R S N with S, found ${motions.join(" ")}`);
  return { d, precision };
}
