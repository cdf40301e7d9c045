import { Hono } from 'hono'
import { ASSETS } from '../assets.ts'
import type { WebEnv } from '../web.ts'

/** Redirects to the current embed script. Client websites link to this address, so it stays stable. */
export const embedPages = () =>
  new Hono<WebEnv>().get('/embed.js', (c) => {
    c.header('cache-control', 'public, max-age=300')
    return c.redirect(ASSETS.embed, 302)
  })
