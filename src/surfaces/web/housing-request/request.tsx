import {
  acceptAllocatedRooms,
  requestBlockAmendment,
  declineAllocatedRooms,
  withdrawAmendment,
} from '../../../domains/block-requests/answer.ts'
import { listUnbookedRoomNights } from '../../../domains/block-requests/give-back.ts'
import { assignBlockRoomToGuest, removeBlockGuest } from '../../../domains/block-requests/guests.ts'
import { remindGuests } from '../../../domains/block-requests/remind-guests.ts'
import { getPeakRooms, sumRooms } from '../../../domains/block-requests/requests.ts'
import { MAX_REQUESTED_ROOMS } from '../../../domains/block-requests/submit.ts'
import type { RegistrationContext } from '../../../domains/registration/event-snapshot.ts'
import { AppError, type FieldError } from '../../../kernel/errors.ts'
import { formatDay, formatList, formatNumber } from '../../../kernel/language/format.ts'
import { addDays, toDayInZone, daysBetween } from '../../../kernel/time.ts'
import { ErrorSummary, Form } from '../components/forms.tsx'
import { Notice, StatusLabel, type ColourTone } from '../components/parts.tsx'
import { createEventRouter, showEventPage, toFormErrors } from '../event/event-layout.tsx'
import { runChangeFromEventPage, type EventSite } from '../event/event-site.ts'
import { SignOutForm } from '../event/sign-out.tsx'
import type { FormErrors } from '../fields.ts'
import { listFieldValues } from '../form-values.ts'
import { translateFieldError } from '../register/messages.ts'
import { getCsrfToken, type FormValues, readSameOriginForm, type WebContext, type WebServices } from '../web.ts'
import { withRoomRequestAccess, type ManagedRoomRequest, ROOM_REQUEST_PATH } from './access.tsx'
import { RoomOfferAnswerCard, RoomRequestChangeCard, listChangeableNights } from './answer-cards.tsx'
import { AddGuestCard, RoomsByNightCard, NamedGuestsCard } from './guest-cards.tsx'
import { createRoomCountError } from './form-values.ts'
import { LargeRequestNotice } from './request-form.tsx'
import { type BlockRoomTypeOption, readRequestView, type RequestCardProps } from './request-view.ts'

const PATH = `${ROOM_REQUEST_PATH}/:token`

const TONES: Record<string, ColourTone> = { accepted: 'success', allocated: 'accent', partiallyAllocated: 'warning', declined: 'danger' }

const Head = ({ open: { row, site, requester }, view }: RequestCardProps) => {
  const { say, locale } = site.words
  const isAccepted = row.status === 'accepted'
  const hotels = [...new Set(view.rooms.map(({ hotel }) => hotel))]
  const rooms = formatNumber(locale, sumRooms(view.nights))
  return (
    <div class="request-head">
      <div class="row">
        {row.status === 'draft' ? null : (
          <StatusLabel tone={TONES[row.status]}>
            {isAccepted && row.answered_at
              ? say('blockRequest.acceptedOn', { day: formatDay(locale, toDayInZone(site.facts.timezone, row.answered_at)) })
              : say(`blockRequest.status.${row.status}`)}
          </StatusLabel>
        )}
        <StatusLabel>{row.number ?? ''}</StatusLabel>
      </div>
      <h1>{requester.name}</h1>
      <p class="lead">
        {isAccepted && hotels.length > 0
          ? say('blockRequest.roomsAt', { count: rooms, hotels: formatList(locale, hotels) })
          : row.status === 'submitted'
            ? say('blockRequest.requested', { count: sumRooms(row.profile) })
            : say('blockRequest.granted', { granted: rooms, nights: formatNumber(locale, sumRooms(row.profile)) })}
      </p>
    </div>
  )
}

const canGiveBack = ({ open: { row }, view }: RequestCardProps) =>
  row.status === 'accepted' && listUnbookedRoomNights(view.nights, view.today).length > 0

/** A notice about rooms without a named guest, with the deadline. */
const Unnamed = (shown: RequestCardProps) => {
  const {
    open: { site },
    view,
    action,
  } = shown
  const { say, locale } = site.words
  const unnamed = view.nights.reduce((sum, { rooms, booked }) => sum + rooms - booked, 0)
  if (unnamed === 0) return null
  const days = view.nameBy === null ? null : daysBetween(view.today, view.nameBy)
  return (
    <Notice tone="warning">
      <strong>{say('blockRequest.unnamed', { nights: formatNumber(locale, unnamed) })}</strong>{' '}
      {view.nameBy === null ? null : say('blockRequest.nameBy', { day: formatDay(locale, view.nameBy) })}{' '}
      {days === null || days < 0 ? null : say('blockRequest.daysLeft', { count: days })}{' '}
      {canGiveBack(shown) ? <a href={`${action}/give-back`}>{say('blockRequest.giveBack')}</a> : null}
    </Notice>
  )
}

const DONE_TEXTS = {
  sent: 'blockRequest.waiting',
  accepted: 'blockRequest.acceptedNotice',
  guest: 'blockRequest.guestAdded',
  guests: 'blockRequest.guestAdded',
  removed: 'blockRequest.guestRemoved',
  change: 'blockRequest.changeSent',
  withdrawn: 'blockRequest.changeWithdrawn',
  reminded: 'blockRequest.reminded',
  remindedToday: 'blockRequest.remindedToday',
  gaveBack: 'blockRequest.gaveBack',
} as const

/** Returns the text about the previous action. Only predefined texts and a number are shown, because the query is user input. */
function doneText(c: WebContext, { words: { say } }: EventSite): string | null {
  const done = c.req.query('done') ?? ''
  const count = Number(/^\d{1,5}$/.exec(c.req.query('count') ?? '')?.[0] ?? 1)
  return Object.hasOwn(DONE_TEXTS, done) ? say(DONE_TEXTS[done as 'guest'], { count }) : null
}

/** The form that reminds guests: guests without a guarantee get their deadline and the link to guarantee the room by email. */
const Remind = ({ open: { row, site }, view, action, csrf }: RequestCardProps) =>
  row.status === 'accepted' && view.guests.some(({ guaranteeDueAt }) => guaranteeDueAt !== null) ? (
    <li>
      <Form action={action} csrf={csrf}>
        <button type="submit" name="do" value="remind">
          <svg class="icon" viewBox="0 0 20 20" aria-hidden="true">
            <path fill="none" d="M3.5 5.5h13v9.5h-13zM3.8 6l6.2 5 6.2-5" />
          </svg>
          {site.words.say('blockRequest.remind')}
        </button>
      </Form>
    </li>
  ) : null

const Links = (shown: RequestCardProps) => {
  const {
    open: { site },
    view,
    action,
  } = shown
  const hasGuests = view.guests.length > 0
  return hasGuests || canGiveBack(shown) ? (
    <nav class="card request-links" aria-label={site.words.say('blockRequest.guests')}>
      <ul class="links">
        {hasGuests ? (
          <li>
            <a href={`${action}/guests.csv`}>
              <svg class="icon" viewBox="0 0 20 20" aria-hidden="true">
                <path fill="none" d="M10 3.5v9.5M5.8 9.2L10 13.4l4.2-4.2M4 16.8h12" />
              </svg>
              {site.words.say('blockRequest.download')}
            </a>
          </li>
        ) : null}
        <Remind {...shown} />
        {canGiveBack(shown) ? (
          <li>
            <a class="end" href={`${action}/give-back`}>
              <svg class="icon" viewBox="0 0 20 20" aria-hidden="true">
                <path fill="none" d="M5 5l10 10M15 5L5 15" />
              </svg>
              {site.words.say('blockRequest.giveBack')}
            </a>
          </li>
        ) : null}
      </ul>
    </nav>
  ) : null
}

const RequestPage = (shown: RequestCardProps & { notice: string | null }) => {
  const { open, view, formErrors, csrf, notice } = shown
  const { row, site, email } = open
  const { say } = site.words
  const isOffered = row.status === 'allocated' || row.status === 'partiallyAllocated'
  const isAccepted = row.status === 'accepted'
  const hasRoomsLeft = [...view.left.values()].some((left) => left > 0)
  const peak = getPeakRooms(row.profile)
  return (
    <div class="mine">
      <Head {...shown} />
      <div class="stack">
        <ErrorSummary {...formErrors} />
        {notice ? <Notice tone="success">{notice}</Notice> : null}
        {row.status === 'submitted' && notice === null ? <Notice>{say('blockRequest.waiting')}</Notice> : null}
        {row.status === 'submitted' ? <LargeRequestNotice site={site} peak={peak} usual={view.usual} /> : null}
        {isAccepted ? <Unnamed {...shown} /> : null}
      </div>
      <div class="mine-grid">
        <div>
          <RoomsByNightCard {...shown} />
          {isOffered ? <RoomOfferAnswerCard {...shown} /> : null}
          {isAccepted && hasRoomsLeft ? <AddGuestCard {...shown} /> : null}
          {isAccepted || view.guests.length > 0 ? <NamedGuestsCard {...shown} /> : null}
        </div>
        <div>
          {isOffered || isAccepted ? <RoomRequestChangeCard {...shown} /> : null}
          <Links {...shown} />
          <SignOutForm site={site} action={`${site.paths.blockRequests}/sign-out`} csrf={csrf} email={email} />
        </div>
      </div>
    </div>
  )
}

interface Action {
  audited: string
  /** The notice to show after the action, or a function that chooses it by the result. */
  done: keyof typeof DONE_TEXTS | null | ((result: unknown) => string)
  /** Checks the form before the transaction starts, and returns its errors. */
  check?: (open: ManagedRoomRequest, form: FormValues) => FieldError[]
  run: (ctx: RegistrationContext, open: ManagedRoomRequest, form: FormValues) => Promise<unknown>
}

const isRooms = (typed: string) => /^\d{1,3}$/.test(typed) && Number(typed) <= MAX_REQUESTED_ROOMS

const toChanges = ({ row }: ManagedRoomRequest, form: FormValues) =>
  listChangeableNights(row).map(({ night, rooms }) => ({ night, delta: Number(form[`night-${night}`] ?? rooms) - rooms }))

function checkChange(open: ManagedRoomRequest, form: FormValues): FieldError[] {
  const { say } = open.site.words
  const nights = listChangeableNights(open.row)
  const wrong = nights.filter(({ night, rooms }) => !isRooms((form[`night-${night}`] ?? String(rooms)).trim()))
  if (wrong.length > 0) return wrong.map(({ night }) => createRoomCountError(open.site, night))
  const changes = toChanges(open, form)
  if (changes.every(({ delta }) => delta === 0)) return [{ path: `night-${nights[0]!.night}`, message: say('blockRequest.noChange') }]
  return nights.every(({ rooms }, index) => rooms + changes[index]!.delta === 0)
    ? [{ path: `night-${nights[0]!.night}`, message: say('blockRequest.noRooms') }]
    : []
}

/** Checks that the chosen nights are consecutive, because a guest has one uninterrupted stay. */
function checkNights({ site: { words } }: ManagedRoomRequest, form: FormValues): FieldError[] {
  const nights = [...listFieldValues(form, 'night')].toSorted()
  if (nights.length === 0) return [{ path: 'night', message: words.say('blockRequest.chooseNights') }]
  const gap = nights.some((night, index) => index > 0 && daysBetween(nights[index - 1]!, night) !== 1)
  return gap ? [{ path: 'night', message: words.say('blockRequest.consecutive') }] : []
}

function readGuest(form: FormValues) {
  const [hotelId = '', roomTypeCode = ''] = (form['room'] ?? '').split(' ')
  const text = (name: string) => (form[name] ?? '').trim().slice(0, 200)
  const nights = [...listFieldValues(form, 'night')].toSorted()
  return {
    firstName: text('firstName'),
    lastName: text('lastName'),
    email: text('email'),
    checkIn: nights[0]!,
    checkOut: addDays(nights.at(-1)!, 1),
    hotelId,
    roomTypeCode,
    occupants: Number(form['occupants'] ?? 1),
  }
}

const ACTIONS: Record<string, Action> = {
  accept: { audited: 'accept_block_request', done: 'accepted', run: (ctx, { row }) => acceptAllocatedRooms(ctx, row.id) },
  decline: { audited: 'decline_block_request', done: null, run: (ctx, { row }) => declineAllocatedRooms(ctx, row.id) },
  withdraw: {
    audited: 'withdraw_block_amendment',
    done: 'withdrawn',
    run: (ctx, { row }, form) => withdrawAmendment(ctx, row.id, form['amendment'] ?? ''),
  },
  change: {
    audited: 'ask_block_amendment',
    done: 'change',
    check: checkChange,
    run: (ctx, open, form) =>
      requestBlockAmendment(ctx, open.row.id, { changes: toChanges(open, form), reason: form['reason']?.trim().slice(0, 500) || null }),
  },
  guest: {
    audited: 'name_block_guest',
    done: 'guest',
    check: checkNights,
    run: (ctx, { row, email }, form) => assignBlockRoomToGuest(ctx, row.id, readGuest(form), email),
  },
  remove: {
    audited: 'remove_block_guest',
    done: 'removed',
    run: (ctx, { row }, form) => removeBlockGuest(ctx, row.id, form['reservation'] ?? ''),
  },
  remind: {
    audited: 'remind_block_guests',
    done: (count) => (count === 0 ? 'remindedToday' : `reminded&count=${Number(count)}`),
    run: (ctx, { row }) => remindGuests(ctx, row.id),
  },
}

/** Assigns errors of the domain to the fields of the page's forms. Nights without a free room are named, with the hotel and room type. */
function explainRefusal(site: EventSite, error: AppError, room: BlockRoomTypeOption | undefined): FormErrors {
  const { words, config } = site
  const { say } = words
  if (error.code === 'limit_exceeded') {
    const nights = (error.details.fields ?? []).filter(({ reason }) => reason?.key === 'error.nightFull')
    const title = room && `${room.hotel}, ${room.roomType}`
    const messages = nights.map((field) => translateFieldError({ words, config, missing: [] }, field))
    const named = messages.map((message) => (title ? say('error.named', { title, message }) : message))
    const errors = (named.length > 0 ? named : [say('error.blockFull')]).map((message) => ({ path: 'night', message }))
    return { errors, message: say('error.summary') }
  }
  const fields = (error.details.fields ?? []).filter(({ path }) => path !== '' && path !== 'changes')
  if (fields.length === 0) return { message: words.say('blockRequest.refused') }
  const pathOf = (path: string) =>
    path === 'checkIn' || path === 'checkOut' ? 'night' : path === 'hotelId' || path === 'roomTypeCode' ? 'room' : path
  return {
    message: words.say('error.summary'),
    errors: fields.map((field) => ({ path: pathOf(field.path), message: translateFieldError({ words, config, missing: [] }, field) })),
  }
}

/** `…/housing/request/<token or number>`: the state of a request, and what its requester can do. GET changes nothing. */
export function blockRequestPages(web: WebServices) {
  const render = async (c: WebContext, open: ManagedRoomRequest, sent: FormValues = {}, formErrors: FormErrors | null = null) => {
    const view = await readRequestView(open)
    const shown = {
      open,
      view,
      action: c.req.path,
      csrf: getCsrfToken(web, c),
      sent,
      formErrors,
      notice: formErrors ? null : doneText(c, open.site),
    }
    return showEventPage(
      web,
      c,
      open.site,
      { title: open.requester.name, status: formErrors ? 400 : 200, referrer: 'no-referrer' },
      <RequestPage {...shown} />,
    )
  }

  const act = withRoomRequestAccess(web, async (c, open) => {
    const form = await readSameOriginForm(web, c)
    const action = form && Object.hasOwn(ACTIONS, form['do'] ?? '') ? ACTIONS[form['do']!] : undefined
    if (!form || !action) return c.redirect(c.req.path, 303)
    const errors = action.check?.(open, form) ?? []
    if (errors.length > 0) return render(c, open, form, toFormErrors(open.site, errors))
    try {
      const result = await runChangeFromEventPage(web, open.site, { action: action.audited, actor: open.actor }, (ctx) =>
        action.run(ctx, open, form),
      )
      const done = typeof action.done === 'function' ? action.done(result) : action.done
      return c.redirect(done === null ? c.req.path : `${c.req.path}?done=${done}`, 303)
    } catch (error) {
      if (!(error instanceof AppError) || error.code === 'internal') throw error
      const { rooms } = await readRequestView(open)
      const room = rooms.find(({ value }) => value === form['room'])
      return render(c, open, form, explainRefusal(open.site, error, room))
    }
  })

  return createEventRouter(web)
    .get(
      PATH,
      withRoomRequestAccess(web, (c, open) => render(c, open)),
    )
    .post(PATH, act)
}
