// The page as one file, with no server behind it: on the site, or saved to a disk.

import { hostedServer } from "./hosted.js";
import { openPage } from "./page.js";

await openPage(hostedServer(JSON.parse(document.getElementById("dfst-data").textContent)));
