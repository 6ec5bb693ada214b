// Builds the player into the Python package, with a banner that says from which sources.
import { build } from "esbuild";
import { createHash } from "node:crypto";
import { copyFileSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const assets = join(here, "..", "src", "jointplay", "viewer", "assets");

// The same digest as in tests/viewer/test_asset.py: sources by name, then what fixes the versions.
const digest = createHash("sha256");
const sources = readdirSync(join(here, "src")).sort().map((name) => `src/${name}`);
for (const name of [...sources, "build.js", "package.json", "package-lock.json"]) {
  digest.update(name + "\0").update(readFileSync(join(here, name))).update("\0");
}
const version = (name) => JSON.parse(readFileSync(join(here, "node_modules", name, "package.json"))).version;
const banner = `/*! jointplay viewer, sources ${digest.digest("hex")}; contains three.js ${version("three")} and fflate ${version("fflate")} (MIT, see LICENSE-THIRD-PARTY) */`;

await build({
  entryPoints: [
    { in: join(here, "src", "main.js"), out: "player" },
    { in: join(here, "src", "player.css"), out: "player" },
  ],
  outdir: assets,
  bundle: true,
  minify: true,
  format: "iife",
  target: ["es2020"],
  charset: "utf8",
  legalComments: "none",
  banner: { js: banner, css: banner },
  logLevel: "info",
});
copyFileSync(join(here, "LICENSE-THIRD-PARTY"), join(assets, "LICENSE-THIRD-PARTY"));
