import { Hono } from 'hono'
import { assetPages } from './assets.ts'
import { eventPages } from './console/events.tsx'
import { signInPages } from './sign-in/pages.tsx'
import type { Web, WebEnv } from './web.ts'

/** Every page for people. The sign-in comes before the console, whose pages all ask for it. */
export function webPages(web: Web) {
  return new Hono<WebEnv>().route('/', assetPages()).route('/', signInPages(web)).route('/', eventPages(web))
}
