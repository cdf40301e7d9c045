import { findRegistrationProgress } from '../../../domains/checkout/progress.ts'
import { startInvitedRegistration, getPublicFlow } from '../../../domains/checkout/start-registration.ts'
import { verifyInvitationListCode } from '../../../domains/codes/web-codes.ts'
import { SubmitForm } from '../components/form-page.tsx'
import { createEventRouter, NarrowPage, showEventPage } from '../event/event-layout.tsx'
import { NewCodeRequestForm, SignInCodeInput, buildSignInErrors } from '../event/sign-in.tsx'
import { toSignedInVisitorActor } from '../event/person.ts'
import { PUBLIC_EVENT_PATH, runChangeFromEventPage, createPublicEventContext, type EventSite, findEventSite } from '../event/event-site.ts'
import { sendNotFoundPage } from '../error-pages.tsx'
import { getCsrfToken, isSameOriginForm, readFormWithoutCsrfCheck, type WebServices, type WebContext } from '../web.ts'
import { signInAndPrefillRegistration } from './open-registration.ts'

const INVITED = `${PUBLIC_EVENT_PATH}/register/:flow/invited`

/**
 * `…/register/<flow>/invited`: asks for the code that was emailed to an invited address. Addresses that are not invited see the same page.
 */
export function inviteeVerificationPages(web: WebServices) {
  const show = (c: WebContext, site: EventSite, email: string, wrong?: string) => {
    const { say } = site.words
    const base = site.paths.register(getPublicFlow(site, c.req.param('flow') ?? '').slug)
    const csrf = getCsrfToken(web, c)
    return showEventPage(
      web,
      c,
      site,
      { title: say('register.mailed.title'), status: wrong ? 400 : 200, referrer: 'no-referrer' },
      <NarrowPage
        title={say('register.mailed.title')}
        text={say('register.mailed.text', { email })}
        formErrors={buildSignInErrors(site, 'code', wrong)}
      >
        <SubmitForm action={`${base}/invited`} csrf={csrf} hidden={{ email }} submit={say('register.begin')} wide>
          <SignInCodeInput site={site} message={wrong} />
        </SubmitForm>
        <NewCodeRequestForm site={site} path={base} csrf={csrf} asked={{ email }} />
      </NarrowPage>,
    )
  }

  const get = async (c: WebContext) => {
    const site = await findEventSite(web, c)
    if (!site) return sendNotFoundPage(web, c)
    const email = (c.req.query('email') ?? '').trim()
    return email === '' ? c.redirect(site.paths.register(c.req.param('flow') ?? ''), 303) : show(c, site, email)
  }

  const post = async (c: WebContext) => {
    const site = await findEventSite(web, c)
    if (!site) return sendNotFoundPage(web, c)
    const sent = await readFormWithoutCsrfCheck(c)
    const flowSlug = c.req.param('flow') ?? ''
    const { code = '', email: typed = '' } = sent ?? {}
    const email = typed.trim()
    if (!sent || !isSameOriginForm(web, c, sent)) return c.redirect(site.paths.register(flowSlug), 303)
    const digits = code.replaceAll(/\s/g, '')
    if (!/^\d{6}$/.test(digits)) return show(c, site, email, site.words.say('signIn.sixDigits'))
    const by = { action: 'begin registration', actor: toSignedInVisitorActor(site, email) }
    const begun = await runChangeFromEventPage(web, site, by, async (ctx) =>
      (await verifyInvitationListCode(ctx, { email, code: digits }))
        ? { as: await startInvitedRegistration(ctx, { flowSlug, email, locale: site.words.locale }) }
        : null,
    )
    if (begun === null) return show(c, site, email, site.words.say('register.mailed.wrong'))
    const progress = begun.as && (await findRegistrationProgress(createPublicEventContext(web, site), begun.as.participantId))
    if (!progress) return c.redirect(site.paths.signIn, 303)
    await signInAndPrefillRegistration(web, c, site, progress)
    return c.redirect(site.paths.register(flowSlug), 303)
  }

  return createEventRouter(web).get(INVITED, get).post(INVITED, post)
}
