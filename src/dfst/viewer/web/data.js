// Data inside a document: JSON, packed with gzip and base64 so that a model fits a small file.

export async function unpackData(packed) {
  const bytes = Uint8Array.from(atob(packed.trim()), (character) => character.charCodeAt(0));
  const plain = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return JSON.parse(await new Response(plain).text());
}
