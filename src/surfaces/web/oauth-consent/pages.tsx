import { Hono } from 'hono'
import { issueCode } from '../../../domains/oauth/codes.ts'
import { isDocumentAddress } from '../../../domains/oauth/client-documents.ts'
import { findClient } from '../../../domains/oauth/clients.ts'
import { returnPlaceOf } from '../../../domains/oauth/redirect-uris.ts'
import { type AuthorizationRequest, openRequest, releaseRequest, takeRequest } from '../../../domains/oauth/requests.ts'
import { type BrowserSession, endSession } from '../../../domains/sign-in/sessions.ts'
import { answerUrl } from '../../oauth/answer.ts'
import { CONSENT_PATH, oauthSite } from '../../oauth/site.ts'
import { document } from '../components/layout.tsx'
import { csrfFor, forgetSession, readForm, sessionOf, show, type Web, type WebContext, type WebEnv } from '../web.ts'
import { type Consent, ConsentPage, ForeignFormPage, GonePage, NoAccessPage } from './consent-page.tsx'

const DENIED = { error: 'access_denied', error_description: 'The organizer did not agree' } as const
const NO_CLIENT = { error: 'access_denied', error_description: 'This login belongs to no client' } as const

/** Browsers apply form-action to the redirect that follows too, and that leads to the app. */
const LEADS_AWAY = { formAction: false }

const gone = (c: WebContext) => show(c, document('Answered already', <GonePage />), 410)

const backTo = (requestId: string) => encodeURIComponent(`${CONSENT_PATH}?request=${encodeURIComponent(requestId)}`)

/** Where a signed-in organizer agrees that an app acts for them. It is shown every time, and nothing is agreed to without a click here. */
export function consentPages(web: Web) {
  const site = oauthSite(web)
  const { database } = web.road

  async function consentOf(c: WebContext, requestId: string, request: AuthorizationRequest, session: BrowserSession): Promise<Consent> {
    const client = await findClient(database.write, request.clientId)
    const place = returnPlaceOf(request.redirectUri)
    const home = isDocumentAddress(request.clientId) ? new URL(request.clientId).host : null
    return {
      csrf: csrfFor(web, c),
      requestId,
      action: CONSENT_PATH,
      appName: client!.name,
      place,
      describedAt: home === place.shown ? null : home,
      session,
    }
  }

  async function switchAccount(c: WebContext, requestId: string, session: BrowserSession) {
    await releaseRequest(database.write, requestId, session.tokenHash)
    await endSession(database.write, session.tokenHash)
    forgetSession(web, c)
    return c.redirect(`/console/sign-in?next=${backTo(requestId)}`, 303)
  }

  /** One transaction takes the request and makes the code: two clicks, or two tabs, get one of each. */
  const decide = (requestId: string, session: BrowserSession, agreed: boolean) =>
    database.transact(async (db) => {
      const request = await takeRequest(db, requestId, session.tokenHash)
      if (!request) return null
      const code = agreed ? await issueCode(db, request, session.userId) : null
      if (code) return answerUrl(site, request, { code: code.reveal() })
      return answerUrl(site, request, session.access.clients.length === 0 ? NO_CLIENT : DENIED)
    })

  return new Hono<WebEnv>()
    .use(CONSENT_PATH, async (c, next) => {
      await next()
      c.header('x-frame-options', 'DENY')
      c.header('cache-control', 'no-store')
    })
    .get(CONSENT_PATH, async (c) => {
      const requestId = c.req.query('request') ?? ''
      const session = await sessionOf(web, c)
      if (!session || session.totpPending) return c.redirect(`/console/sign-in${session ? '/totp' : ''}?next=${backTo(requestId)}`, 303)
      const request = await openRequest(database.write, requestId, session.tokenHash)
      if (!request) return gone(c)
      const consent = await consentOf(c, requestId, request, session)
      if (session.access.clients.length === 0)
        return show(c, document('No organizer access', <NoAccessPage {...consent} />), 403, LEADS_AWAY)
      return show(c, document(`Connect ${consent.appName}`, <ConsentPage {...consent} />), 200, LEADS_AWAY)
    })
    .post(CONSENT_PATH, async (c) => {
      const form = await readForm(web, c)
      const session = await sessionOf(web, c)
      if (!form || !session || session.totpPending) return show(c, document('Nothing was authorized', <ForeignFormPage />), 403)
      const requestId = form['request'] ?? ''
      if (form['decision'] === 'switch') return switchAccount(c, requestId, session)
      const url = await decide(requestId, session, form['decision'] === 'authorize')
      return url ? c.redirect(url, 303) : gone(c)
    })
}
