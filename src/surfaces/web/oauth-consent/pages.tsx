import { Hono } from 'hono'
import { issueAuthorizationCode } from '../../../domains/oauth/codes.ts'
import { isClientMetadataUrl } from '../../../domains/oauth/client-documents.ts'
import { findOauthClient } from '../../../domains/access/oauth-clients.ts'
import { describeRedirectTarget } from '../../../domains/oauth/redirect-uris.ts'
import {
  type AuthorizationRequest,
  bindRequestToSession,
  unbindRequestFromSession,
  consumeAuthorizationRequest,
} from '../../../domains/oauth/requests.ts'
import { type BrowserSession, endBrowserSession } from '../../../domains/sign-in/sessions.ts'
import { buildRedirectUrl } from '../../oauth/redirect-url.ts'
import { CONSENT_PATH, createOauthServerContext } from '../../oauth/site.ts'
import { renderHtmlDocument } from '../components/layout.tsx'
import {
  getCsrfToken,
  clearSessionCookie,
  readSameOriginForm,
  readSignInSession,
  sendPage,
  type WebServices,
  type WebContext,
  type WebEnv,
} from '../web.ts'
import { type ConsentRequest, ConsentPage, InvalidConsentFormPage, ExpiredConsentPage, NoAccessPage } from './consent-page.tsx'

const DENIED = { error: 'access_denied', error_description: 'The organizer denied the request' } as const
const NO_CLIENT = { error: 'access_denied', error_description: 'This login does not belong to any client' } as const

/**
 * Omits the form-action directive from the page's policy: browsers would also apply it to the redirect after the form, which leads to the
 * app.
 */
const ALLOW_EXTERNAL_REDIRECT = { formAction: false }

const showExpiredRequest = (c: WebContext) => sendPage(c, renderHtmlDocument('Request no longer valid', <ExpiredConsentPage />), 410)

const backTo = (requestId: string) => encodeURIComponent(`${CONSENT_PATH}?request=${encodeURIComponent(requestId)}`)

/** The consent page of the OAuth authorization. It is shown for every request, and nothing is authorized without a click. */
export function consentPages(web: WebServices) {
  const site = createOauthServerContext(web)
  const { database } = web.services

  async function consentOf(
    c: WebContext,
    requestId: string,
    request: AuthorizationRequest,
    session: BrowserSession,
  ): Promise<ConsentRequest> {
    const client = await findOauthClient(database.write, request.clientId)
    const place = describeRedirectTarget(request.redirectUri)
    const home = isClientMetadataUrl(request.clientId) ? new URL(request.clientId).host : null
    return {
      csrf: getCsrfToken(web, c),
      requestId,
      action: CONSENT_PATH,
      appName: client!.name,
      place,
      describedAt: home === place.shown ? null : home,
      session,
    }
  }

  async function switchAccount(c: WebContext, requestId: string, session: BrowserSession) {
    await unbindRequestFromSession(database.write, requestId, session.tokenHash)
    await endBrowserSession(database.write, session.tokenHash)
    clearSessionCookie(web, c)
    return c.redirect(`/console/sign-in?next=${backTo(requestId)}`, 303)
  }

  /**
   * Decides a consent request: deletes the request and issues the authorization code in one transaction, so that two clicks or tabs get
   * only one code.
   */
  const decide = (requestId: string, session: BrowserSession, agreed: boolean) =>
    database.transact(async (db) => {
      const request = await consumeAuthorizationRequest(db, requestId, session.tokenHash)
      if (!request) return null
      const code = agreed ? await issueAuthorizationCode(db, request, session.userId) : null
      if (code) return buildRedirectUrl(site, request, { code: code.reveal() })
      return buildRedirectUrl(site, request, session.access.clients.length === 0 ? NO_CLIENT : DENIED)
    })

  return new Hono<WebEnv>()
    .use(CONSENT_PATH, async (c, next) => {
      await next()
      c.header('x-frame-options', 'DENY')
      c.header('cache-control', 'no-store')
    })
    .get(CONSENT_PATH, async (c) => {
      const requestId = c.req.query('request') ?? ''
      const session = await readSignInSession(web, c)
      if (!session || session.totpPending) return c.redirect(`/console/sign-in${session ? '/totp' : ''}?next=${backTo(requestId)}`, 303)
      const request = await bindRequestToSession(database.write, requestId, session.tokenHash)
      if (!request) return showExpiredRequest(c)
      const consent = await consentOf(c, requestId, request, session)
      if (session.access.clients.length === 0)
        return sendPage(c, renderHtmlDocument('No organizer access', <NoAccessPage {...consent} />), 403, ALLOW_EXTERNAL_REDIRECT)
      return sendPage(c, renderHtmlDocument(`Connect ${consent.appName}`, <ConsentPage {...consent} />), 200, ALLOW_EXTERNAL_REDIRECT)
    })
    .post(CONSENT_PATH, async (c) => {
      const form = await readSameOriginForm(web, c)
      const session = await readSignInSession(web, c)
      if (!form || !session || session.totpPending)
        return sendPage(c, renderHtmlDocument('Nothing was authorized', <InvalidConsentFormPage />), 403)
      const requestId = form['request'] ?? ''
      if (form['decision'] === 'switch') return switchAccount(c, requestId, session)
      const url = await decide(requestId, session, form['decision'] === 'authorize')
      return url ? c.redirect(url, 303) : showExpiredRequest(c)
    })
}
