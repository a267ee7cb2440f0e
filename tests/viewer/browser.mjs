// The viewer in a real browser; driven by test_browser.py, which reads one verdict a scenario.

import { judge } from "./kit.mjs";
import { scenarios as embed } from "./embed.scenarios.mjs";
import { scenarios as home } from "./home.scenarios.mjs";
import { scenarios as layout } from "./layout.scenarios.mjs";
import { scenarios as lesson } from "./lesson.scenarios.mjs";
import { scenarios as page } from "./page.scenarios.mjs";
import { scenarios as replay } from "./replay.scenarios.mjs";
import { scenarios as sixty } from "./sixty.scenarios.mjs";
import { scenarios as teach } from "./teach.scenarios.mjs";

await judge({ ...sixty, ...teach, ...layout, ...lesson, ...page, ...home, ...replay, ...embed });
