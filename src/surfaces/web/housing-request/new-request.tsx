import { readRequestFormChoices } from '../../../domains/block-requests/hotel-choices.ts'
import { readUsualRoomsPerNight } from '../../../domains/block-requests/flags.ts'
import { type ManagedRequester, toGroupOrCompanyId } from '../../../domains/block-requests/own-requesters.ts'
import {
  findDraftRequest,
  findSubmissionObstacle,
  listRequestsOfRequester,
  saveDraftRequest,
  submitDraft,
  toBlockRequestContent as toStoredWishes,
} from '../../../domains/block-requests/submit.ts'
import { AppError } from '../../../kernel/errors.ts'
import { addDays, isCalendarDay } from '../../../kernel/time.ts'
import { LinkButton } from '../components/forms.tsx'
import { Notice } from '../components/parts.tsx'
import { NarrowPage, createEventRouter, showEventPage, toFormErrors } from '../event/event-layout.tsx'
import { runChangeFromEventPage, type EventSite } from '../event/event-site.ts'
import { getCsrfToken, type FormValues, readSameOriginForm, type WebContext, type WebServices } from '../web.ts'
import { withRoomRequesterAccess, ROOM_REQUEST_PATH, type SignedInRoomRequester } from './access.tsx'
import { RoomRequestSummaryPage } from './check-page.tsx'
import {
  findRoomCountErrors,
  reorderPreferredHotels,
  readRequestForm,
  type RequestFormValues,
  toRequestForm,
  formToBlockRequest,
} from './form-values.ts'
import { RequestFormPage, type RequestFormView } from './request-form.tsx'

const findRequester = ({ own }: SignedInRoomRequester, key: string | undefined): ManagedRequester | null =>
  own.length === 1 ? own[0]! : (own.find((one) => one.key === key) ?? null)

const toIdentity = (requester: ManagedRequester, email: string) => ({
  ...toGroupOrCompanyId(requester),
  name: requester.contactName || email,
  email,
  isTestData: requester.isTestData,
})

const pathFor = ({ paths }: EventSite, { key }: ManagedRequester, more: Record<string, string> = {}) =>
  `${paths.blockRequests}?${new URLSearchParams({ for: key, ...more }).toString()}`

/** `…/housing/request`: the form for a request of a group or company, which is saved as a draft until it is checked and sent. */
export function blockRequestCreationPages(web: WebServices) {
  const showChoice = (c: WebContext, { site, own }: SignedInRoomRequester) => {
    const { say } = site.words
    return showEventPage(
      web,
      c,
      site,
      { title: say('blockRequest.title') },
      <NarrowPage title={say('blockRequest.choose')}>
        {own.map((requester) => (
          <LinkButton href={pathFor(site, requester)}>{requester.name}</LinkButton>
        ))}
      </NarrowPage>,
    )
  }

  const showClosed = (c: WebContext, { site }: SignedInRoomRequester, latest: string | null | undefined) => {
    const { say } = site.words
    return showEventPage(
      web,
      c,
      site,
      { title: say('blockRequest.closed') },
      <NarrowPage title={say('blockRequest.closed')}>
        <Notice tone="warning">{say('blockRequest.closedText')}</Notice>
        {latest ? <LinkButton href={`${site.paths.blockRequests}/${latest}`}>{latest}</LinkButton> : null}
      </NarrowPage>,
    )
  }

  /** Returns another page if the requester has an open request or the event accepts no requests; null if the form can be shown. */
  const findOtherPage = async (c: WebContext, person: SignedInRoomRequester, requester: ManagedRequester): Promise<Response | null> => {
    const latest = (await listRequestsOfRequester(person.ctx, toGroupOrCompanyId(requester))).find(({ status }) => status !== 'draft')
    const isOpen = latest && latest.status !== 'closed' && latest.status !== 'declined'
    if (isOpen) return c.redirect(`${person.site.paths.blockRequests}/${latest.number}`, 303)
    return (await findSubmissionObstacle(person.ctx)) === null ? null : showClosed(c, person, latest?.number)
  }

  const readView = async (c: WebContext, { site, ctx }: SignedInRoomRequester, requester: ManagedRequester) => ({
    site,
    requester,
    choices: await readRequestFormChoices(ctx),
    usual: await readUsualRoomsPerNight(ctx, requester.companyId),
    csrf: getCsrfToken(web, c),
  })

  const showForm = (c: WebContext, view: RequestFormView) => {
    const status = view.formErrors === null ? 200 : 400
    return showEventPage(web, c, view.site, { title: view.site.words.say('blockRequest.title'), status }, <RequestFormPage view={view} />)
  }

  const show = withRoomRequesterAccess(web, async (c, person) => {
    const { site, ctx } = person
    const { say } = site.words
    const requester = findRequester(person, c.req.query('for'))
    if (!requester) return showChoice(c, person)
    const other = await findOtherPage(c, person, requester)
    if (other) return other
    const draft = await findDraftRequest(ctx, toGroupOrCompanyId(requester))
    const form = toRequestForm(site, draft && toStoredWishes(draft), c.req.query())
    const notice = c.req.query('done') === 'saved' && draft ? say('blockRequest.draftSaved') : undefined
    const view: RequestFormView = { ...(await readView(c, person, requester)), form, formErrors: null, notice }
    if (c.req.query('step') !== 'check' || formToBlockRequest(form).profile.length === 0) return showForm(c, view)
    const back = pathFor(site, requester)
    return showEventPage(web, c, site, { title: say('blockRequest.checkTitle') }, <RoomRequestSummaryPage view={view} back={back} />)
  })

  const save = (person: SignedInRoomRequester, requester: ManagedRequester, form: RequestFormValues) =>
    runChangeFromEventPage(web, person.site, { action: 'save_block_request_draft', actor: person.actor }, (ctx) =>
      saveDraftRequest(ctx, toIdentity(requester, person.email), formToBlockRequest(form)),
    )

  const send = async (c: WebContext, person: SignedInRoomRequester, requester: ManagedRequester): Promise<Response> => {
    const { site, email, actor } = person
    try {
      const row = await runChangeFromEventPage(web, site, { action: 'submit_block_request', actor }, (ctx) =>
        submitDraft(ctx, toIdentity(requester, email)),
      )
      return c.redirect(`${site.paths.blockRequests}/${row.number}?done=sent`, 303)
    } catch (error) {
      if (!(error instanceof AppError) || error.code === 'internal') throw error
      // The page shows the reason: another admin has sent the request meanwhile, or the deadline has passed.
      return c.redirect(pathFor(site, requester), 303)
    }
  }

  const submit = withRoomRequesterAccess(web, async (c, person) => {
    const { site } = person
    const sent = await readSameOriginForm(web, c)
    const requester = sent && findRequester(person, sent['for'])
    if (!sent || !requester) return c.redirect(site.paths.blockRequests, 303)
    const other = await findOtherPage(c, person, requester)
    if (other) return other
    const pressed = sent['do'] ?? 'check'
    if (pressed === 'send') return send(c, person, requester)
    const view = await readView(c, person, requester)
    const form = readSent(site, view, sent, pressed)
    // A background update of the totals neither saves nor reports half-typed numbers.
    if (pressed === 'total') return showForm(c, { ...view, form, formErrors: null })
    await save(person, requester, form)
    const formErrors = findErrors(site, form, pressed)
    if (formErrors) return showForm(c, { ...view, form, formErrors })
    return c.redirect(nextPath(site, requester, form, pressed), 303)
  })

  return createEventRouter(web).get(ROOM_REQUEST_PATH, show).post(ROOM_REQUEST_PATH, submit)
}

/** Applies the pressed button to the submitted form: adds a night, or changes the ranking of the preferred hotels. */
function readSent(site: EventSite, { choices }: Pick<RequestFormView, 'choices'>, sent: FormValues, pressed: string): RequestFormValues {
  const moved = (name: 'from' | 'until', days: number) => (isCalendarDay(sent[name] ?? '') ? { [name]: addDays(sent[name]!, days) } : {})
  const more = pressed === 'before' ? moved('from', -1) : pressed === 'after' ? moved('until', 1) : {}
  const form = readRequestForm(site, Object.assign(Object.create(null), sent, more) as FormValues, choices)
  return { ...form, hotelPreferences: reorderPreferredHotels(form.hotelPreferences, pressed, sent['added']) }
}

function findErrors(site: EventSite, form: RequestFormValues, pressed: string) {
  const errors = findRoomCountErrors(form, site)
  if (errors.length > 0) return toFormErrors(site, errors)
  const isEmpty = pressed === 'check' && formToBlockRequest(form).profile.length === 0
  return isEmpty ? toFormErrors(site, [{ path: `night-${form.nights[0]!.night}`, message: site.words.say('blockRequest.noRooms') }]) : null
}

function nextPath(site: EventSite, requester: ManagedRequester, form: RequestFormValues, pressed: string): string {
  if (pressed === 'check') return pathFor(site, requester, { step: 'check' })
  if (pressed === 'save') return pathFor(site, requester, { done: 'saved' })
  const nights = { from: form.nights[0]!.night, until: form.nights.at(-1)!.night }
  return `${pathFor(site, requester, nights)}#${/^(up|down|remove|add)/.test(pressed) ? 'w-hotels' : 'w-nights'}`
}
