import { Hono } from 'hono'
import { routePath } from 'hono/route'
import { reportFailure } from '../http/report-failure.ts'
import type { WebServices, WebEnv } from '../web/web.ts'
import { createAuthorizeEndpoint } from './authorize.ts'
import { allowCrossOrigin } from './cross-origin.ts'
import { METADATA_PATHS, createMetadataEndpoint } from './metadata.ts'
import { OAuthError } from './oauth-error.ts'
import { createRegisterEndpoint } from './register.ts'
import { createRevokeEndpoint } from './revoke.ts'
import { ISSUER_PATH, createOauthServerContext } from './site.ts'
import { createTokenEndpoint } from './token.ts'

const CALLED_BY_APPS = ['register', 'token', 'revoke'].map((name) => `${ISSUER_PATH}/${name}`)

/** The OAuth endpoints (authorization server) of the MCP endpoint for organizers. */
export function createOauthEndpoints(web: WebServices) {
  const site = createOauthServerContext(web)
  const app = new Hono<WebEnv>()
  app.onError((error, c) => {
    if (error instanceof OAuthError) {
      if (error.code === 'invalid_client') c.header('www-authenticate', 'Basic realm="Lanyard"')
      return c.json({ error: error.code, error_description: error.message }, error.status)
    }
    const reference = reportFailure(web.services, { route: routePath(c, -1) }, error)
    return c.json({ error: 'server_error', error_description: `Internal error, reference ${reference}` }, 500)
  })
  for (const path of METADATA_PATHS) app.use(path, allowCrossOrigin)
  for (const path of CALLED_BY_APPS) {
    app.use(path, allowCrossOrigin).use(path, async (c, next) => {
      c.header('cache-control', 'no-store')
      await next()
    })
  }
  for (const endpoint of [
    createMetadataEndpoint,
    createRegisterEndpoint,
    createAuthorizeEndpoint,
    createTokenEndpoint,
    createRevokeEndpoint,
  ])
    app.route('/', endpoint(site))
  for (const path of CALLED_BY_APPS)
    app.all(path, (c) => c.json({ error: 'invalid_request', error_description: 'Only POST is served here' }, 405, { allow: 'POST' }))
  return app
}
