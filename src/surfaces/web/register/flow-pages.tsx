import { removeGuestAnswers } from '../../../domains/checkout/guest-answers.ts'
import { findCapacityHoldExpiry, extendCapacityHold } from '../../../domains/checkout/hold.ts'
import { lookUpInDirectory, type DirectoryLookupAnswers } from '../../../domains/checkout/directory-lookup.ts'
import { isGroupCodeAttemptAllowed } from '../../../domains/checkout/group-code-limit.ts'
import { findFirstUnfinishedPage, isPageFinished, loadRegistrationProgress } from '../../../domains/checkout/progress.ts'
import { submitFormPage } from '../../../domains/checkout/save-page.ts'
import { type GetFormValues, listPageWidgets } from '../../../domains/checkout/sent-page.ts'
import { deleteUnusedUploads, hasUploadedFiles, storeUploads } from '../../../domains/checkout/uploads.ts'
import { buildDirectoryOutcomeAnswerKey } from '../../../domains/configuration/flow/collected-answers.ts'
import { determineWaitlistedItem } from '../../../domains/registration/waitlist/waitlist.ts'
import type { FieldError } from '../../../kernel/errors.ts'
import { getClientIpBlock } from '../../http/client-address.ts'
import { createEventRouter, NarrowPage, showEventPage } from '../event/event-layout.tsx'
import { type EventSite, PUBLIC_EVENT_PATH, runChangeFromEventPage } from '../event/event-site.ts'
import { listFieldValues } from '../form-values.ts'
import { commitThenDeleteUnusedUploads, readFormWithFiles } from '../uploads.ts'
import { getCsrfToken, type WebServices, type WebContext } from '../web.ts'
import { getFlowPageTitle } from './answers.tsx'
import { type CurrentRegistration, findCurrentRegistration } from './current-registration.ts'
import { findGuestFormToOpen } from './guests.tsx'
import { FlowPageForm } from './page-form.tsx'
import { readRegistrationPageView } from './read-view.ts'
import { listUploadFields } from './upload-fields.ts'
import { toPageCode, toPagePathSegment } from './view.ts'

const PAGE = `${PUBLIC_EVENT_PATH}/register/:flow/:page`

interface PageState {
  sent?: GetFormValues
  errors?: readonly FieldError[]
  message?: string
  status?: 200 | 400 | 429
  guest?: number | null
}

/** `…/register/<flow>/<page>`: one page of a flow. Answers are saved on every submit. */
export function registrationFlowPages(web: WebServices) {
  const show = async (
    c: WebContext,
    { site, ctx, progress }: CurrentRegistration,
    code: string,
    { sent, errors = [], message, status = 200, guest = null }: PageState = {},
  ) => {
    const view = await readRegistrationPageView(ctx, site, progress, {
      page: code,
      errors,
      guest,
      at: c.req.query('at'),
      ...(sent ? { sent } : {}),
    })
    const page = view.flow.pages.find((one) => one.code === code)!
    const until = await findCapacityHoldExpiry(ctx, progress.row.id)
    return showEventPage(
      web,
      c,
      site,
      { title: page.title ?? view.flow.name, status },
      <FlowPageForm
        view={view}
        page={page}
        csrf={getCsrfToken(web, c)}
        heldUntil={until}
        message={message}
        notices={noticesOf({ site, progress }, code)}
      />,
    )
  }

  /**
   * Returns the path to redirect to if the page cannot be opened yet; null otherwise. Participants can open every page up to the first
   * unfinished one.
   */
  const redirectIfUnreachable = ({ base, progress }: CurrentRegistration, code: string): string | null => {
    const codes = progress.pages.map((page) => page.code)
    const unfinished = findFirstUnfinishedPage(progress)
    const last = unfinished === null ? codes.length : codes.indexOf(unfinished)
    const at = codes.indexOf(code)
    if (at >= 0 && at <= last) return null
    return `${base}/${unfinished === null ? 'summary' : toPagePathSegment(unfinished)}`
  }

  const get = async (c: WebContext) => {
    const standing = await findCurrentRegistration(web, c)
    if (standing instanceof Response) return standing
    if (!standing.progress.walk.open) return showNotAllowed(c, standing)
    const code = toPageCode(c.req.param('page') ?? '')
    const elsewhere = redirectIfUnreachable(standing, code)
    return elsewhere === null ? show(c, standing, code, { guest: Number(c.req.query('guest')) || null }) : c.redirect(elsewhere, 303)
  }

  const showNotAllowed = (c: WebContext, { site }: CurrentRegistration) => {
    const { say } = site.words
    return showEventPage(
      web,
      c,
      site,
      { title: say('register.notAllowed'), status: 403 },
      <NarrowPage title={say('register.notAllowed')}>
        <p>{say('register.notAllowedText')}</p>
      </NarrowPage>,
    )
  }

  const post = async (c: WebContext) => {
    const standing = await findCurrentRegistration(web, c)
    if (standing instanceof Response) return standing
    const { site, progress, actor, base } = standing
    const { say } = site.words
    const code = toPageCode(c.req.param('page') ?? '')
    const elsewhere = redirectIfUnreachable(standing, code)
    if (elsewhere !== null) return c.redirect(elsewhere, 303)
    const here = `${base}/${toPagePathSegment(code)}`
    const read = await readFormWithFiles(web, c, listUploadFields(standing, code))
    if (!read) return show(c, standing, code, { message: say('error.expired'), status: 400 })
    const sent: GetFormValues = (name) => listFieldValues(read.form, name)
    const [action = '', about = ''] = (sent('do').at(-1) ?? 'next').split(':')
    if (action === 'longer') {
      await commitThenDeleteUnusedUploads(web, site, read.files, () =>
        runChangeFromEventPage(web, site, { action: 'hold places longer', actor, isAnonymousStep: true }, async (ctx) => {
          await extendCapacityHold(ctx, await loadRegistrationProgress(ctx, progress.row.id))
          return { deletedFiles: [] }
        }),
      )
      return c.redirect(here, 303)
    }
    const found = action === 'lookup' ? await lookUp(standing, code, about, sent) : null
    const isGroupCodeLimited = !(await mayTryGroupCode(c, standing, { page: code, sent, isInBackground: action === 'total' }))
    const { saved } = await commitThenDeleteUnusedUploads(web, site, read.files, () =>
      runChangeFromEventPage(web, site, { action: 'answer registration page', actor, isAnonymousStep: true }, async (ctx) => ({
        saved: await submitFormPage(ctx, {
          participantId: progress.row.id,
          page: code,
          sent,
          stays: action !== 'next',
          isGroupCodeLimited,
          more: async (before) => {
            const stored = await storeUploads(ctx, before, read.files)
            const guests = action === 'guest-remove' ? removeGuestAnswers(before.answers, Number(about)) : {}
            return { answers: { ...stored.answers, ...guests, ...found?.answers }, errors: stored.errors }
          },
          ...(found ? { directoryTags: found.directoryTags } : {}),
        }),
        deletedFiles: read.files.length > 0 || hasUploadedFiles(progress) ? await deleteUnusedUploads(ctx, progress.row.id) : [],
      })),
    )
    if (saved.kind === 'over') return c.redirect(`${base}/done`, 303)
    if (saved.kind === 'elsewhere')
      return c.redirect(saved.page === null ? `${base}/summary` : `${base}/${toPagePathSegment(saved.page)}`, 303)
    if (saved.kind === 'twin') return showDuplicateRegistrationPage(web, c, standing.site, standing.progress.row.email)
    const after = { ...standing, progress: saved.progress }
    const guest = Number(sent('guest.number')[0]) || null
    if (saved.kind === 'refused' || read.refused.length > 0) {
      const errors = [...(saved.kind === 'refused' ? saved.errors : []), ...read.refused]
      const full = saved.kind === 'refused' ? saved.full : null
      return show(c, after, code, {
        sent,
        errors,
        guest,
        status: isGroupCodeLimited ? 429 : 400,
        ...(full === null ? {} : { message: buildSoldOutMessage(after, full) }),
      })
    }
    if (action === 'next') return c.redirect(`${base}/${saved.next === null ? 'summary' : toPagePathSegment(saved.next)}`, 303)
    const open = findGuestFormToOpen(`${action}:${about}`, saved.progress)
    if (open !== null) return c.redirect(`${here}?guest=${open}#guest`, 303)
    const pressed = listPageWidgets(saved.progress, code).find(({ id }) => id === c.req.query('at'))
    // The redirect has no fragment, because browsers keep the fragment of the URL that the form was sent to.
    return c.redirect(pressed ? `${here}?at=${encodeURIComponent(pressed.id)}` : here, 303)
  }

  /** Limits guesses of group codes. A code that was accepted before does not count, and background updates of the total check no code. */
  const mayTryGroupCode = async (
    c: WebContext,
    { ctx, progress }: CurrentRegistration,
    { page, sent, isInBackground }: { page: string; sent: GetFormValues; isInBackground: boolean },
  ) => {
    const typed = (sent('@group.code')[0] ?? '').trim()
    const isAsked = listPageWidgets(progress, page).some((widget) => widget.type === 'group' && widget.mode !== 'create')
    if (!isAsked || typed === '' || typed === progress.answers['@group.code']) return true
    if (isInBackground) return false
    const address = getClientIpBlock(c.env.incoming, web.trustedProxies)
    return isGroupCodeAttemptAllowed(web.services.database.pool, ctx, { typed, address })
  }

  const lookUp = async (
    { ctx, progress }: CurrentRegistration,
    code: string,
    id: string,
    sent: GetFormValues,
  ): Promise<DirectoryLookupAnswers | null> => {
    const widget = listPageWidgets(progress, code).find((one) => one.id === id)
    if (widget?.type !== 'membershipLookup') return null
    return lookUpInDirectory({ ...ctx, db: web.services.database.write, fetcher: web.services.fetcher }, progress, widget, sent)
  }

  return createEventRouter(web).get(PAGE, get).post(PAGE, post)
}

/** Shows the page for a participant who already has another registration, and who was notified by email. */
export function showDuplicateRegistrationPage(web: WebServices, c: WebContext, site: EventSite, email: string | null) {
  const { say } = site.words
  return showEventPage(
    web,
    c,
    site,
    { title: say('register.duplicate.title') },
    <NarrowPage title={say('register.duplicate.title')}>
      <p>{say('register.duplicate.text', { email: email ?? '' })}</p>
    </NarrowPage>,
  )
}

export function buildSoldOutMessage({ site, progress }: Pick<CurrentRegistration, 'site' | 'progress'>, key: string): string {
  const { say } = site.words
  if (key.startsWith('discount:')) return say('error.usedCode')
  const name = site.config.products.find(({ code }) => key === `product:${code}`)?.name ?? site.config.details.name
  return determineWaitlistedItem(site.config, progress.flow, key) === null
    ? say('register.soldOut', { name })
    : say('register.soldOutWaitlist', { name })
}

/** Notices about the result of looking up the participant in the member directory of the flow. */
function membershipNotices({ words: { say } }: CurrentRegistration['site'], outcome: unknown): string[] {
  if (outcome === 'found') return [say('register.memberFound')]
  return outcome === 'error' ? [say('register.lookupError')] : []
}

/** Lists the notices that are shown above the page. */
function noticesOf({ site, progress }: Pick<CurrentRegistration, 'site' | 'progress'>, code: string): string[] {
  const { say } = site.words
  const { stored, row, snapshot, flow, pages } = progress
  const isFirst = pages[0]?.code === code
  const waits = stored.waits.some((key) => determineWaitlistedItem(snapshot.config, flow, key) === 'registration')
  const old = row.version_id !== snapshot.versionId && stored.pages_done.length > 0
  const attention = old
    ? pages
        .filter((page) => stored.pages_done.includes(page.code) && !isPageFinished(progress, page.code))
        .map((page) => getFlowPageTitle({ flow }, page.code))
    : []
  return [
    ...(isFirst && stored.pages_done.length === 0 && row.source === 'web' ? [say('register.existing', { email: row.email ?? '' })] : []),
    ...(isFirst && flow.directory !== null
      ? membershipNotices(site, progress.answers[buildDirectoryOutcomeAnswerKey(flow.directory)])
      : []),
    ...(waits ? [say('register.fullWaitlist')] : []),
    ...(old ? [say('register.changedVersion')] : []),
    ...(attention.length > 0 ? [say('register.attention', { pages: attention.join(', ') })] : []),
  ]
}
