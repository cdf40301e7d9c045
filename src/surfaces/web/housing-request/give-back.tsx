import { returnUnbookedRooms, listUnbookedRoomNights, type UnbookedRoomNight } from '../../../domains/block-requests/give-back.ts'
import { sumRooms } from '../../../domains/block-requests/requests.ts'
import { AppError, type FieldError } from '../../../kernel/errors.ts'
import { formatNumber, formatShortDay } from '../../../kernel/language/format.ts'
import { SubmitForm } from '../components/form-page.tsx'
import { ErrorSummary, findFieldError, Input } from '../components/forms.tsx'
import { Card } from '../components/parts.tsx'
import { BackLink, createEventRouter, showEventPage, toFormErrors } from '../event/event-layout.tsx'
import { runChangeFromEventPage } from '../event/event-site.ts'
import type { FormErrors } from '../fields.ts'
import { getCsrfToken, type FormValues, readSameOriginForm, type WebContext, type WebServices } from '../web.ts'
import { withRoomRequestAccess, type ManagedRoomRequest, ROOM_REQUEST_PATH } from './access.tsx'
import { readRequestView, type RequestView } from './request-view.ts'

const PATH = `${ROOM_REQUEST_PATH}/:token/give-back`

/** The name of the hidden field with the number of rooms that the form shows for a night. */
const shownField = (key: string) => `shown.${key}`

const homeOf = (c: WebContext) => c.req.path.replace(/\/give-back$/, '')

interface GiveBackForm {
  open: ManagedRoomRequest
  view: RequestView
  unbooked: readonly UnbookedRoomNight[]
  sent: FormValues
  formErrors: FormErrors | null
}

/** One field per night, in a group for each hotel and room type. */
const Rooms = ({ open, view, unbooked, sent, formErrors }: GiveBackForm) => {
  const { say, locale } = open.site.words
  const groups = Map.groupBy(unbooked, ({ hotelId, roomTypeCode }) => `${hotelId} ${roomTypeCode}`)
  return (
    <>
      {[...groups.values()].map((nights) => {
        const { hotel, roomType } = view.toRoom(nights[0]!.hotelId, nights[0]!.roomTypeCode)
        return (
          <fieldset class="question">
            <legend>{`${hotel}, ${roomType}`}</legend>
            <div class="fields">
              {nights.map(({ key, night, rooms }) => (
                <div class="half">
                  <input type="hidden" name={shownField(key)} value={rooms} />
                  <Input
                    name={key}
                    label={formatShortDay(locale, night)}
                    help={say('blockRequest.withoutGuest', { count: formatNumber(locale, rooms) })}
                    value={sent[key] ?? '0'}
                    error={findFieldError(formErrors?.errors, key)}
                    type="number"
                    inputmode="numeric"
                    min={0}
                    max={rooms}
                    autocomplete="off"
                  />
                </div>
              ))}
            </div>
          </fieldset>
        )
      })}
    </>
  )
}

/** Checks the typed numbers. Each error names the hotel, room type and night, because the summary lists the errors of all of them. */
function checkRooms(
  { site: { words } }: ManagedRoomRequest,
  { view, unbooked }: Pick<GiveBackForm, 'view' | 'unbooked'>,
  form: FormValues,
): FieldError[] {
  const { say, locale } = words
  const typed = unbooked.map((one) => ({ ...one, value: (form[one.key] ?? '0').trim() }))
  const wrong = typed.filter(({ value, rooms }) => !/^\d{1,3}$/.test(value) || Number(value) > rooms)
  if (wrong.length > 0)
    return wrong.map(({ key, night, rooms, hotelId, roomTypeCode }) => {
      const { hotel, roomType } = view.toRoom(hotelId, roomTypeCode)
      const title = `${hotel}, ${roomType}, ${formatShortDay(locale, night)}`
      return { path: key, message: say('error.named', { title, message: say('blockRequest.number', { most: rooms }) }) }
    })
  return typed.some(({ value }) => Number(value) > 0) ? [] : [{ path: unbooked[0]!.key, message: say('blockRequest.noRooms') }]
}

/** `…/housing/request/<token>/give-back`: gives rooms without a guest back, so that others can book them. GET changes nothing. */
export function roomReleasePages(web: WebServices) {
  const show = async (c: WebContext, open: ManagedRoomRequest, sent: FormValues = {}, formErrors: FormErrors | null = null) => {
    const { say, locale } = open.site.words
    const view = await readRequestView(open)
    const unbooked = listUnbookedRoomNights(view.nights, view.today)
    const home = homeOf(c)
    if (open.row.status !== 'accepted' || unbooked.length === 0) return c.redirect(home, 303)
    return showEventPage(
      web,
      c,
      open.site,
      { title: say('blockRequest.giveBack'), status: formErrors ? 400 : 200, referrer: 'no-referrer' },
      <div class="mine narrow">
        <BackLink href={home}>{open.requester.name}</BackLink>
        <div class="stack">
          <h1>{say('blockRequest.giveBack')}</h1>
          <p class="lead">{say('blockRequest.giveBackText')}</p>
          <ErrorSummary {...formErrors} />
          <Card>
            <SubmitForm
              action={`${home}/give-back`}
              csrf={getCsrfToken(web, c)}
              submit={say('blockRequest.giveBackChosen')}
              submitAs={{ name: 'do', value: 'some' }}
              more={
                <button type="submit" class="button danger" name="do" value="all">
                  {say('blockRequest.giveBackAll', { count: formatNumber(locale, sumRooms(unbooked)) })}
                </button>
              }
            >
              <Rooms open={open} view={view} unbooked={unbooked} sent={sent} formErrors={formErrors} />
            </SubmitForm>
          </Card>
        </div>
      </div>,
    )
  }

  const give = withRoomRequestAccess(web, async (c, open) => {
    const form = await readSameOriginForm(web, c)
    const view = await readRequestView(open)
    const unbooked = listUnbookedRoomNights(view.nights, view.today)
    if (!form || unbooked.length === 0) return c.redirect(c.req.path, 303)
    const isAll = form['do'] === 'all'
    const errors = isAll ? [] : checkRooms(open, { view, unbooked }, form)
    if (errors.length > 0) return show(c, open, form, toFormErrors(open.site, errors))
    const given = unbooked.map(({ key, rooms }) => ({
      key,
      rooms: isAll ? rooms : Number(form[key] ?? 0),
      shown: Number(form[shownField(key)]),
    }))
    try {
      const count = await runChangeFromEventPage(web, open.site, { action: 'give_back_block_rooms', actor: open.actor }, (ctx) =>
        returnUnbookedRooms(ctx, open.row.id, given),
      )
      return c.redirect(`${homeOf(c)}?done=gaveBack&count=${count}`, 303)
    } catch (error) {
      if (!(error instanceof AppError) || error.code === 'internal') throw error
      return show(c, open, form, { message: open.site.words.say('blockRequest.refused') })
    }
  })

  return createEventRouter(web)
    .get(
      PATH,
      withRoomRequestAccess(web, (c, open) => show(c, open)),
    )
    .post(PATH, give)
}
