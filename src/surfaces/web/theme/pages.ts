import { Hono } from 'hono'
import { deriveAppearance } from '../../../domains/configuration/appearance.ts'
import { buildThemeStylesheet, buildThemeStylesheetPath, parseThemeFileName } from './stylesheet.ts'

export const themePages = () =>
  new Hono().get('/themes/:name', (c) => {
    const theme = parseThemeFileName(c.req.param('name'))
    if (!theme) return c.notFound()
    const address = buildThemeStylesheetPath(theme)
    if (address !== c.req.path) {
      // A page rendered by an earlier version has an outdated hash in its URL. The redirect must not be cached.
      c.header('cache-control', 'no-store')
      return c.redirect(address)
    }
    c.header('cache-control', 'public, max-age=31536000, immutable')
    c.header('content-type', 'text/css; charset=utf-8')
    return c.body(buildThemeStylesheet(deriveAppearance(theme)))
  })
