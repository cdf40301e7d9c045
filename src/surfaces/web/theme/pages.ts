import { Hono } from 'hono'
import { lookOf } from '../../../domains/configuration/look.ts'
import { stylesheetOf, themeAddress, themeNamed } from './stylesheet.ts'

/** The stylesheets of themes. */
export const themePages = () =>
  new Hono().get('/themes/:name', (c) => {
    const theme = themeNamed(c.req.param('name'))
    if (!theme) return c.notFound()
    const address = themeAddress(theme)
    if (address !== c.req.path) {
      // A page of an earlier version of Lanyard asks for what it meant then; nobody keeps this answer.
      c.header('cache-control', 'no-store')
      return c.redirect(address)
    }
    c.header('cache-control', 'public, max-age=31536000, immutable')
    c.header('content-type', 'text/css; charset=utf-8')
    return c.body(stylesheetOf(lookOf(theme)))
  })
