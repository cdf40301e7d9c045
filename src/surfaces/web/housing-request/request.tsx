import { acceptRooms, askForAmendment, declineRooms, withdrawAmendment } from '../../../domains/block-requests/answer.ts'
import { findPendingAmendment } from '../../../domains/block-requests/describe.ts'
import { boothAllowance } from '../../../domains/block-requests/flags.ts'
import { type BlockGuest, listBlockGuests, nameGuest } from '../../../domains/block-requests/guests.ts'
import { listBlockNights, peakOf, readRequestRules, sumByNight, sumRooms } from '../../../domains/block-requests/requests.ts'
import { readBoothAreas } from '../../../domains/exhibitors/company-facts.ts'
import { getBlock } from '../../../domains/housing/blocks.ts'
import { listHotelChoices } from '../../../domains/housing/hotels.ts'
import type { EventScope } from '../../../domains/registration/event-snapshot.ts'
import { AppError } from '../../../kernel/errors.ts'
import { formatDateRange, formatDay, formatShortDay } from '../../../kernel/language/format.ts'
import { dayIn } from '../../../kernel/time.ts'
import { SubmitForm } from '../components/form-page.tsx'
import { Form, Input, Select, TextArea } from '../components/forms.tsx'
import { Card, Notice, StatusLabel, Table, type Tone } from '../components/parts.tsx'
import { newEventRouter, showEventPage } from '../event/event-layout.tsx'
import { changeAtEvent } from '../event/event-site.ts'
import { csrfFor, type FormValues, readOwnForm, type WebContext, type WebServices } from '../web.ts'
import { forRequest, type OpenRequest, REQUEST_PATH } from './access.tsx'

const PATH = `${REQUEST_PATH}/:token`

const TONES: Record<string, Tone> = { accepted: 'success', allocated: 'accent', partiallyAllocated: 'warning', declined: 'danger' }

async function readView({ ctx, row }: OpenRequest) {
  const nights = await listBlockNights(ctx, row)
  const { rules } = await readRequestRules(ctx)
  const area = row.company_id === null ? undefined : (await readBoothAreas(ctx, [row.company_id])).get(row.company_id)
  const usual = rules === null || row.company_id === null ? Infinity : boothAllowance(rules, area ?? 0)
  const hotels = new Map((await listHotelChoices(ctx)).map((hotel) => [hotel.id, hotel]))
  const nameOfRoom = (hotelId: string, code: string) => {
    const hotel = hotels.get(hotelId)
    return [hotel?.name ?? hotelId, hotel?.roomTypes.find((type) => type.code === code)?.name ?? code].join(', ')
  }
  return {
    nights,
    granted: sumByNight(nights),
    booked: sumByNight(nights.map(({ night, booked }) => ({ night, rooms: booked }))),
    guests: await listBlockGuests(ctx, row),
    pending: await findPendingAmendment(ctx, row.id),
    nameBy: row.block_id === null ? null : (await getBlock(ctx, row.block_id)).name_deadline_on,
    usual,
    nameOfRoom,
  }
}

interface Shown {
  open: OpenRequest
  view: Awaited<ReturnType<typeof readView>>
  action: string
  csrf: string
  sent: FormValues
}

const ByNight = ({ open: { row, site }, view }: Shown) => {
  const { say, locale } = site.words
  return (
    <Card title={say('blockRequest.byNight')}>
      <ul class="people">
        {[...sumByNight([...row.profile, ...view.nights.map(({ night }) => ({ night, rooms: 0 }))])].map(([night, requested]) => {
          const granted = view.granted.get(night) ?? 0
          return (
            <li>
              <strong>{formatShortDay(locale, night)}</strong>
              <span>
                {row.status === 'accepted'
                  ? say('blockRequest.named', { named: view.booked.get(night) ?? 0, granted })
                  : `${granted} / ${requested}`}
              </span>
            </li>
          )
        })}
      </ul>
    </Card>
  )
}

const Answer = ({ open: { row, site }, action, csrf }: Shown) => {
  const { say, locale } = site.words
  return (
    <Card title={say('blockRequest.accept')}>
      <div class="stack">
        {row.accept_by === null ? null : <p>{say('blockRequest.answerBy', { day: formatDay(locale, row.accept_by) })}</p>}
        <SubmitForm action={action} csrf={csrf} submit={say('blockRequest.accept')} submitAs={{ name: 'do', value: 'accept' }} />
        <details>
          <summary>{say('blockRequest.decline')}</summary>
          <SubmitForm
            action={action}
            csrf={csrf}
            submit={say('blockRequest.decline')}
            tone="danger"
            submitAs={{ name: 'do', value: 'decline' }}
          >
            <p class="muted">{say('blockRequest.declineText')}</p>
          </SubmitForm>
        </details>
      </div>
    </Card>
  )
}

const AddGuest = ({ open: { site }, view, action, csrf, sent }: Shown) => {
  const { say } = site.words
  const pairs = [...new Set(view.nights.map(({ hotelId, roomTypeCode }) => `${hotelId} ${roomTypeCode}`))]
  const days = [...view.granted.keys()]
  return (
    <Card title={say('blockRequest.addGuest')}>
      <SubmitForm action={action} csrf={csrf} submit={say('blockRequest.addGuest')} submitAs={{ name: 'do', value: 'guest' }}>
        <div class="fields">
          <Input name="firstName" label={say('blockRequest.firstName')} value={sent['firstName'] ?? ''} autocomplete="off" required />
          <Input name="lastName" label={say('blockRequest.lastName')} value={sent['lastName'] ?? ''} autocomplete="off" required />
          <Input name="email" type="email" label={say('blockRequest.email')} value={sent['email'] ?? ''} autocomplete="off" required />
          <Select
            name="room"
            label={say('blockRequest.room')}
            options={pairs.map((pair) => ({ value: pair, label: view.nameOfRoom(...(pair.split(' ') as [string, string])) }))}
            value={sent['room']}
          />
          <Input name="checkIn" type="date" label={say('blockRequest.arrival')} value={sent['checkIn'] ?? days[0] ?? ''} required />
          <Input name="checkOut" type="date" label={say('blockRequest.departure')} value={sent['checkOut'] ?? ''} required />
        </div>
      </SubmitForm>
    </Card>
  )
}

const Guests = ({ open: { site }, view }: Shown) => {
  const { say, locale } = site.words
  const status = ({ guaranteeDueAt }: BlockGuest) =>
    guaranteeDueAt === null ? (
      <StatusLabel tone="success">{say('blockRequest.confirmed')}</StatusLabel>
    ) : (
      <StatusLabel tone="warning">
        {say('blockRequest.cardDue', { day: formatDay(locale, dayIn(site.facts.timezone, guaranteeDueAt)) })}
      </StatusLabel>
    )
  return (
    <Card title={say('blockRequest.guests')}>
      {view.guests.length === 0 ? (
        <p class="muted">{say('blockRequest.noGuests')}</p>
      ) : (
        <Table
          caption={say('blockRequest.guests')}
          rows={view.guests}
          columns={[
            { label: say('blockRequest.guests'), lead: true, cell: ({ name }) => name },
            { label: say('blockRequest.byNight'), cell: ({ checkIn, checkOut }) => formatDateRange(locale, checkIn, checkOut) },
            { label: say('blockRequest.room'), cell: ({ hotelId, roomTypeCode }) => view.nameOfRoom(hotelId, roomTypeCode) },
            { label: say('blockRequest.confirmed'), cell: status },
          ]}
        />
      )}
    </Card>
  )
}

const Change = ({ open: { row, site }, view, action, csrf }: Shown) => {
  const { say, locale } = site.words
  if (view.pending)
    return (
      <Card title={say('blockRequest.pending')}>
        <ul>
          {view.pending.changes.map(({ night, delta }) => (
            <li>
              {formatShortDay(locale, night)}: {delta > 0 ? `+${delta}` : delta}
            </li>
          ))}
        </ul>
        <p>{say('blockRequest.pendingText')}</p>
        <SubmitForm
          action={action}
          csrf={csrf}
          hidden={{ amendment: view.pending.id }}
          submit={say('blockRequest.withdraw')}
          tone="plain"
          submitAs={{ name: 'do', value: 'withdraw' }}
        />
      </Card>
    )
  return (
    <Card title={say('blockRequest.change')}>
      <SubmitForm
        action={action}
        csrf={csrf}
        submit={say('blockRequest.sendChange')}
        tone="plain"
        submitAs={{ name: 'do', value: 'change' }}
      >
        <p class="muted">{say('blockRequest.changeHelp')}</p>
        <div class="fields">
          {row.profile.map(({ night, rooms }) => (
            <Input
              name={`night-${night}`}
              label={formatShortDay(locale, night)}
              value={String(rooms)}
              inputmode="numeric"
              class="quantity"
            />
          ))}
          <TextArea name="reason" label={say('blockRequest.reason')} value="" rows={2} />
        </div>
      </SubmitForm>
    </Card>
  )
}

const RequestPage = (shown: Shown & { message: string | undefined }) => {
  const { open, view, message, csrf } = shown
  const { row, site, requester, email } = open
  const { say, locale } = site.words
  const answers = row.status === 'allocated' || row.status === 'partiallyAllocated'
  const accepted = row.status === 'accepted'
  const unnamed = sumRooms(view.nights) - view.nights.reduce((sum, { booked }) => sum + booked, 0)
  const peak = peakOf(row.profile)
  return (
    <div class="mine">
      <div class="row">
        {row.status === 'draft' ? null : <StatusLabel tone={TONES[row.status]}>{say(`blockRequest.status.${row.status}`)}</StatusLabel>}
        <StatusLabel>{row.number ?? ''}</StatusLabel>
      </div>
      <h1>{requester.name}</h1>
      <p class="lead">{say('blockRequest.granted', { granted: sumRooms(view.nights), nights: sumRooms(row.profile) })}</p>
      {message ? <Notice tone="danger">{message}</Notice> : null}
      {row.status === 'submitted' ? <Notice>{say('blockRequest.waiting')}</Notice> : null}
      {peak > view.usual ? <Notice tone="warning">{say('blockRequest.overBooth', { peak, usual: view.usual })}</Notice> : null}
      {accepted && unnamed > 0 ? (
        <Notice tone="warning">
          {say('blockRequest.unnamed', { nights: unnamed })}{' '}
          {view.nameBy === null ? '' : say('blockRequest.nameBy', { day: formatDay(locale, view.nameBy) })}
        </Notice>
      ) : null}
      <div class="mine-grid">
        <div>
          <ByNight {...shown} />
          {answers ? <Answer {...shown} /> : null}
          {accepted && unnamed > 0 ? <AddGuest {...shown} /> : null}
          {accepted ? <Guests {...shown} /> : null}
        </div>
        <div>
          {answers || accepted ? <Change {...shown} /> : null}
          <Form action={`${site.paths.blockRequests}/sign-out`} csrf={csrf}>
            <p class="small muted">{say('blockRequest.signedIn', { email })}</p>
            <button type="submit" class="button wide">
              {say('myRegistration.signOut')}
            </button>
          </Form>
        </div>
      </div>
    </div>
  )
}

const ACTIONS: Record<string, { audited: string; run: (ctx: EventScope, open: OpenRequest, form: FormValues) => Promise<unknown> }> = {
  accept: { audited: 'accept_block_request', run: (ctx, { row }) => acceptRooms(ctx, row.id) },
  decline: { audited: 'decline_block_request', run: (ctx, { row }) => declineRooms(ctx, row.id) },
  withdraw: {
    audited: 'withdraw_block_amendment',
    run: (ctx, { row }, form) => withdrawAmendment(ctx, row.id, form['amendment'] ?? ''),
  },
  change: {
    audited: 'ask_block_amendment',
    run: (ctx, { row }, form) =>
      askForAmendment(ctx, row.id, {
        changes: row.profile.map(({ night, rooms }) => ({
          night,
          delta: Math.min(500, Math.max(0, Math.trunc(Number(form[`night-${night}`] ?? rooms)) || 0)) - rooms,
        })),
        reason: form['reason']?.trim().slice(0, 500) || null,
      }),
  },
  guest: {
    audited: 'name_block_guest',
    run: (ctx, { row, email }, form) => {
      const [hotelId = '', roomTypeCode = ''] = (form['room'] ?? '').split(' ')
      const text = (name: string) => (form[name] ?? '').trim().slice(0, 200)
      const days = { checkIn: text('checkIn'), checkOut: text('checkOut') }
      const names = { firstName: text('firstName'), lastName: text('lastName'), email: text('email') }
      return nameGuest(ctx, row.id, { ...names, ...days, hotelId, roomTypeCode, occupants: 1 }, email)
    },
  },
}

/** `…/housing/request/<token or number>`: the state of a request, and what its requester can do. GET changes nothing. */
export function blockRequestPages(web: WebServices) {
  const render = async (c: WebContext, open: OpenRequest, sent: FormValues = {}, message?: string) => {
    const view = await readView(open)
    return showEventPage(
      web,
      c,
      open.site,
      { title: open.requester.name, status: message === undefined ? 200 : 400, referrer: 'no-referrer' },
      <RequestPage open={open} view={view} action={c.req.path} csrf={csrfFor(web, c)} sent={sent} message={message} />,
    )
  }

  const act = forRequest(web, async (c, open) => {
    const form = await readOwnForm(web, c)
    const action = form && Object.hasOwn(ACTIONS, form['do'] ?? '') ? ACTIONS[form['do']!] : undefined
    if (!form || !action) return c.redirect(c.req.path, 303)
    try {
      await changeAtEvent(web, open.site, { action: action.audited, actor: open.actor }, (ctx) => action.run(ctx, open, form))
      return c.redirect(c.req.path, 303)
    } catch (error) {
      if (!(error instanceof AppError) || error.code === 'internal') throw error
      const { say } = open.site.words
      return render(c, open, form, error.code === 'limit_exceeded' ? say('blockRequest.noRoomLeft') : say('blockRequest.refused'))
    }
  })

  return newEventRouter(web)
    .get(
      PATH,
      forRequest(web, (c, open) => render(c, open)),
    )
    .post(PATH, act)
}
