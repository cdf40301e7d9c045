import { Hono } from 'hono'
import { ASSETS } from '../assets.ts'
import type { WebEnv } from '../web.ts'

/** Pasted into a client's own website, it must keep its address: it leads to the script of today. */
export const embedPages = () =>
  new Hono<WebEnv>().get('/embed.js', (c) => {
    c.header('cache-control', 'public, max-age=300')
    return c.redirect(ASSETS.embed, 302)
  })
