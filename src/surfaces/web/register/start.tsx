import { findRegistrationProgress } from '../../../domains/checkout/progress.ts'
import { takeRateLimitToken } from '../../../domains/access/rate-windows.ts'
import type { RegistrationProgress } from '../../../domains/checkout/progress.ts'
import {
  getPublicFlow,
  startInvitedRegistration,
  startRegistration,
  type RegistrationStartResult,
} from '../../../domains/checkout/start-registration.ts'
import { beginFormVisit, storeCompanyInvitation, storeVisitorNetworkHash } from '../../../domains/checkout/visit.ts'
import type { PersonSession } from '../../../domains/codes/person-sessions.ts'
import { sendInvitationListCode } from '../../../domains/codes/web-codes.ts'
import { type CompanyInvitation, findInvitationByToken, INVITATION_QUERY_PARAMETER } from '../../../domains/exhibitors/staff/invitations.ts'
import type { RegistrationContext } from '../../../domains/registration/event-snapshot.ts'
import { lookUpEmailInDirectory } from '../../../domains/registration/flows/flow-directories.ts'
import { isSameEmail } from '../../../kernel/email-address.ts'
import { getClientIpBlock } from '../../http/client-address.ts'
import { sendNotFoundPage } from '../error-pages.tsx'
import { createEventRouter } from '../event/event-layout.tsx'
import { runChangeFromEventPage, PUBLIC_EVENT_PATH, createPublicEventContext, type EventSite, findEventSite } from '../event/event-site.ts'
import { findPersonSignInSession, signInToRegistration } from '../event/person.ts'
import { isSameOriginForm, readFormWithoutCsrfCheck, type WebServices, type WebContext } from '../web.ts'
import { detectDeviceType, createMemberDirectoryContext } from './open-registration.ts'
import { openRegistrationLink } from './registration-link.tsx'
import { findNextPagePath, showStartForm, type StartFormState } from './start-form.tsx'

const START = `${PUBLIC_EVENT_PATH}/register/:flow`

/**
 * Rate limit of started registrations per IP address. Each start writes a row and may send an email. The limit allows for a hall full of
 * people behind one address, but not for scripts.
 */
const START_RATE_LIMIT = { perMinute: 60, burst: 300 }

/** `…/register/<flow>`: starts a registration, or continues the one of this browser. */
export function registrationStartPages(web: WebServices) {
  const get = async (c: WebContext) => {
    const site = await findEventSite(web, c)
    if (!site) return sendNotFoundPage(web, c)
    if (site.event.status === 'archived') return c.redirect(site.paths.home, 303)
    const token = c.req.query('token')
    if (token !== undefined) return openRegistrationLink(web, c, site, token)
    const person = await findPersonSignInSession(web, c, site)
    const begun = await findUnfinished(c, site, person)
    // Visitors with an unfinished registration continue where they stopped.
    if (begun && c.req.query('anew') === undefined) return c.redirect(findNextPagePath(site, begun), 303)
    return showStartForm(web, c, site, {
      email: c.req.query('email') ?? (person?.wasUnregistered ? person.email : ''),
      code: c.req.query('code') ?? '',
      company: c.req.query(INVITATION_QUERY_PARAMETER) ?? '',
      invitation: await findCompanyInvitation(c, site, c.req.query(INVITATION_QUERY_PARAMETER)),
      begun,
    })
  }

  /** Finds the invitation of a link that a company sent to its contact or booth staff. */
  const findCompanyInvitation = async (c: WebContext, site: EventSite, token: string | undefined): Promise<CompanyInvitation | null> => {
    if (!token || getPublicFlow(site, c.req.param('flow') ?? '').kind !== 'exhibitor') return null
    return findInvitationByToken(createPublicEventContext(web, site, web.services.database.write), token)
  }

  const findUnfinished = async (c: WebContext, site: EventSite, person: PersonSession | null): Promise<RegistrationProgress | null> => {
    const progress = person?.participantId
      ? await findRegistrationProgress(createPublicEventContext(web, site), person.participantId)
      : null
    const isOpen = progress?.row.status === 'incomplete' && progress.row.is_test_data === progress.snapshot.isTest
    return isOpen && progress.flow.slug === c.req.param('flow') ? progress : null
  }

  const post = async (c: WebContext) => {
    const site = await findEventSite(web, c)
    if (!site) return sendNotFoundPage(web, c)
    const { say, locale } = site.words
    const sent = await readFormWithoutCsrfCheck(c)
    const { email = '', code = '', [INVITATION_QUERY_PARAMETER]: company = '' } = sent ?? {}
    const invitation = await findCompanyInvitation(c, site, company)
    const refuse = (why: Pick<StartFormState, 'errors' | 'message'>) =>
      showStartForm(web, c, site, { email, code, company, invitation, begun: null, ...why })
    if (!sent || !isSameOriginForm(web, c, sent)) return refuse({ message: say('error.expired') })
    const from = getClientIpBlock(c.env.incoming, web.trustedProxies)
    if (!(await takeRateLimitToken(web.services.database.pool, `register:${from}`, START_RATE_LIMIT)))
      return refuse({ message: say('register.tooMany') })
    const flowSlug = c.req.param('flow') ?? ''
    const looked = await lookUpAtStart(site, flowSlug, email, code)
    if (looked?.followed === 'block') return refuse({ message: say('register.lookupErrorBlocks') })
    const visit = { device: detectDeviceType(c), utm: readCampaign(sent) } as const
    const person = await findPersonSignInSession(web, c, site)
    const verified = findVerifiedEmail(person, email)
    const begun = await runChangeFromEventPage(web, site, { action: 'begin registration', isAnonymousStep: true }, async (ctx) => {
      const invited = verified !== null && code === '' ? await startInvited(ctx, site, { flowSlug, email: verified, locale }) : null
      const verifiedEmail = person?.verified ? person.email : null
      const result =
        invited ??
        (await startRegistration(ctx, { flowSlug, email, code, locale, looked, verifiedEmail, isInvitedByCompany: invitation !== null }))
      if (result.kind === 'begun') {
        await beginFormVisit(ctx, result.participantId, visit)
        await storeVisitorNetworkHash(ctx, result.participantId, from)
        if (invitation) await storeCompanyInvitation(ctx, result.participantId, invitation)
      }
      if (result.kind === 'asksCode') await sendInvitationListCode(ctx, { ...result, locale })
      return result
    })
    if (begun.kind === 'refused') return refuse({ errors: begun.errors })
    if (begun.kind === 'asksCode')
      return c.redirect(`${site.paths.register(flowSlug)}/invited?${new URLSearchParams({ email: email.trim() }).toString()}`, 303)
    await signInToRegistration(web, c, site, begun)
    return c.redirect(site.paths.register(flowSlug), 303)
  }

  /** Returns the typed email address, if this browser has already verified it with an emailed code. */
  const findVerifiedEmail = (person: PersonSession | null, typed: string): string | null =>
    person?.wasUnregistered && isSameEmail(person.email, typed.trim()) ? person.email : null

  /** Starts the registration in an invitation-only flow for a verified email address, without another code. Null in other flows. */
  const startInvited = async (
    ctx: RegistrationContext,
    site: EventSite,
    start: Parameters<typeof startInvitedRegistration>[1],
  ): Promise<RegistrationStartResult | null> => {
    const begun = getPublicFlow(site, start.flowSlug).inviteOnly ? await startInvitedRegistration(ctx, start) : null
    return begun && { kind: 'begun', ...begun, verified: true }
  }

  /**
   * Queries the member directory at the start, except in an invitation-only flow, where it is queried only after the participant has
   * proved access to the mailbox.
   */
  const lookUpAtStart = (site: EventSite, flowSlug: string, email: string, code: string) => {
    const { directory, inviteOnly } = getPublicFlow(site, flowSlug)
    return directory === null || (inviteOnly && code === '')
      ? null
      : lookUpEmailInDirectory(createMemberDirectoryContext(web, site), site, directory, email.trim())
  }

  return createEventRouter(web).get(START, get).post(START, post)
}

/** Reads the campaign parameters (`utm_*`) of the link. */
const readCampaign = (given: Record<string, string>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(given).flatMap(([name, value]) =>
      /^utm_[a-z]{1,20}$/.test(name) && value ? [[name.slice(4), value.slice(0, 100)]] : [],
    ),
  )
