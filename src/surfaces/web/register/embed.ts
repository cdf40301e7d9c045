import { Hono } from 'hono'
import { ASSET_PATHS } from '../assets.ts'
import type { WebEnv } from '../web.ts'

/** Redirects to the current embed script. Client websites link to this URL, so it stays stable. */
export const embedScriptRoutes = () =>
  new Hono<WebEnv>().get('/embed.js', (c) => {
    c.header('cache-control', 'public, max-age=300')
    return c.redirect(ASSET_PATHS.embed, 302)
  })
