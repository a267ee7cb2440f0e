// The page of `dfst play`, answered by the local server.

import { openPage } from "./page.js";
import { localServer } from "./server.js";

await openPage(localServer);
