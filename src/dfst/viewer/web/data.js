// Data inside a document: JSON, packed with gzip and base64 so that a model fits a small file.

export async function unpackData(packed) {
  const plain = new Blob([bytesIn(packed)]).stream().pipeThrough(new DecompressionStream("gzip"));
  return JSON.parse(await new Response(plain).text());
}

export async function packData(data) {
  const packed = new Blob([JSON.stringify(data)]).stream().pipeThrough(new CompressionStream("gzip"));
  return base64(new Uint8Array(await new Response(packed).arrayBuffer()));
}

/** Bytes as base64, a part at a time: a call takes only so many arguments. */
export function base64(bytes) {
  const part = 0x8000;
  const parts = [];
  for (let at = 0; at < bytes.length; at += part)
    parts.push(String.fromCharCode(...bytes.subarray(at, at + part)));
  return btoa(parts.join(""));
}

export function bytesIn(text) {
  return Uint8Array.from(atob(text.trim()), (character) => character.charCodeAt(0));
}

/** Eight digits that tell one content from another (FNV-1a). */
export function fingerprint(bytes) {
  let hash = 0x811c9dc5;
  for (const byte of bytes) hash = Math.imul(hash ^ byte, 0x01000193) >>> 0;
  return hash.toString(16).padStart(8, "0");
}
