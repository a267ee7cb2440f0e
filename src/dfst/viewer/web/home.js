// The page as one file, with no server behind it: on the site, or saved to a disk.

import { hostedServer } from "./hosted.js";
import { openPage } from "./page.js";

const held = (id) => document.getElementById(id).textContent;

function startWorker() {
  const address = URL.createObjectURL(new Blob([held("dfst-learner")], { type: "text/javascript" }));
  const worker = new Worker(address);
  URL.revokeObjectURL(address);
  return worker;
}

await openPage(hostedServer(JSON.parse(held("dfst-data")), startWorker));
