import type { OwnRequester } from '../../../domains/block-requests/own-requesters.ts'
import { toOwner } from '../../../domains/block-requests/own-requesters.ts'
import { findSubmissionObstacle, listRequestsOf, submitRequest } from '../../../domains/block-requests/submit.ts'
import { listHotelChoices } from '../../../domains/housing/hotels.ts'
import { nightsOf } from '../../../domains/housing/stay.ts'
import { AppError } from '../../../kernel/errors.ts'
import { formatShortDay } from '../../../kernel/language/format.ts'
import { addDays } from '../../../kernel/time.ts'
import { SubmitForm } from '../components/form-page.tsx'
import { Checkbox, Input, LinkButton, Select, TextArea } from '../components/forms.tsx'
import { Card, Notice } from '../components/parts.tsx'
import { MainColumn, NarrowPage, newEventRouter, showEventPage, toFormErrors } from '../event/event-layout.tsx'
import { changeAtEvent, type EventSite } from '../event/event-site.ts'
import { csrfFor, type FormValues, readOwnForm, type WebContext, type WebServices } from '../web.ts'
import { forRequester, REQUEST_PATH, type RequestPerson } from './access.tsx'

const PREFERENCES = ['hotel1', 'hotel2', 'hotel3', 'hotel4', 'hotel5'] as const
const MAX_FORM_NIGHTS = 21

/** The nights that the form offers: those of the event with two before and one after. */
const formNights = ({ facts }: EventSite): string[] =>
  nightsOf(addDays(facts.startsOn, -2), addDays(facts.endsOn, 2)).slice(0, MAX_FORM_NIGHTS)

const findRequester = ({ own }: RequestPerson, key: string | undefined): OwnRequester | null =>
  own.length === 1 ? own[0]! : (own.find((one) => one.key === key) ?? null)

const toRooms = (value: string | undefined): number => Math.min(500, Math.max(0, Math.trunc(Number(value ?? 0)) || 0))

/** `…/housing/request`: the requests of the person's groups and companies, and the form for a new one. */
export function newBlockRequestPages(web: WebServices) {
  const showList = (c: WebContext, { site, own }: RequestPerson) => {
    const { say } = site.words
    return showEventPage(
      web,
      c,
      site,
      { title: say('blockRequest.title') },
      <NarrowPage title={say('blockRequest.choose')}>
        {own.map(({ key, name }) => (
          <LinkButton href={`${site.paths.blockRequests}?for=${key}`}>{name}</LinkButton>
        ))}
      </NarrowPage>,
    )
  }

  const showForm = async (
    c: WebContext,
    { site, ctx }: RequestPerson,
    requester: OwnRequester,
    sent: FormValues = {},
    message?: string,
  ) => {
    const { say, locale } = site.words
    const hotels = await listHotelChoices(ctx)
    const options = [{ value: '', label: say('blockRequest.anyHotel') }, ...hotels.map(({ id, name }) => ({ value: id, label: name }))]
    const formErrors = toFormErrors(site, [], message)
    return showEventPage(
      web,
      c,
      site,
      { title: say('blockRequest.title'), status: message === undefined ? 200 : 400 },
      <div class="checkout">
        <MainColumn
          title={say('blockRequest.title')}
          text={say('blockRequest.lead', { requester: requester.name })}
          formErrors={message === undefined ? null : formErrors}
        >
          <SubmitForm
            action={site.paths.blockRequests}
            csrf={csrfFor(web, c)}
            class="checkout-main"
            hidden={{ for: requester.key }}
            submit={say('blockRequest.send')}
          >
            <Card title={say('blockRequest.byNight')}>
              <div class="fields">
                <p class="muted">{say('blockRequest.nightHelp')}</p>
                {formNights(site).map((night) => (
                  <Input
                    name={`night-${night}`}
                    label={formatShortDay(locale, night)}
                    value={sent[`night-${night}`] ?? '0'}
                    inputmode="numeric"
                    autocomplete="off"
                    class="quantity"
                  />
                ))}
              </div>
            </Card>
            <Card title={say('blockRequest.hotels')}>
              <div class="fields">
                {PREFERENCES.map((name, index) => (
                  <Select name={name} label={say('blockRequest.choice', { number: index + 1 })} options={options} value={sent[name]} />
                ))}
                <Checkbox
                  name="together"
                  label={say('blockRequest.together')}
                  checked={message === undefined || sent['together'] === 'on'}
                />
              </div>
            </Card>
            <Card title={say('blockRequest.pays')}>
              <div class="fields">
                <Select
                  name="pays"
                  label={say('blockRequest.pays')}
                  options={[
                    { value: 'guest', label: say('blockRequest.guestPays') },
                    { value: 'master', label: say('blockRequest.masterPays', { requester: requester.name }) },
                  ]}
                  value={sent['pays'] ?? 'guest'}
                />
                <TextArea name="note" label={say('blockRequest.note')} value={sent['note'] ?? ''} rows={3} />
              </div>
            </Card>
          </SubmitForm>
        </MainColumn>
      </div>,
    )
  }

  const show = forRequester(web, async (c, person) => {
    const { site, ctx } = person
    const { say } = site.words
    const requester = findRequester(person, c.req.query('for'))
    if (!requester) return showList(c, person)
    const latest = (await listRequestsOf(ctx, toOwner(requester))).find(({ status }) => status !== 'draft')
    const isOpen = latest && latest.status !== 'closed' && latest.status !== 'declined'
    if (isOpen) return c.redirect(`${site.paths.blockRequests}/${latest.number}`, 303)
    if ((await findSubmissionObstacle(ctx)) === null) return showForm(c, person, requester)
    return showEventPage(
      web,
      c,
      site,
      { title: say('blockRequest.closed') },
      <NarrowPage title={say('blockRequest.closed')}>
        <Notice tone="warning">{say('blockRequest.closedText')}</Notice>
        {latest ? <LinkButton href={`${site.paths.blockRequests}/${latest.number}`}>{latest.number}</LinkButton> : null}
      </NarrowPage>,
    )
  })

  const submit = forRequester(web, async (c, person) => {
    const { site, email, actor } = person
    const { say } = site.words
    const form = await readOwnForm(web, c)
    const requester = form && findRequester(person, form['for'])
    if (!form || !requester) return c.redirect(site.paths.blockRequests, 303)
    const profile = formNights(site)
      .map((night) => ({ night, rooms: toRooms(form[`night-${night}`]) }))
      .filter(({ rooms }) => rooms > 0)
    if (profile.length === 0) return showForm(c, person, requester, form, say('blockRequest.noRooms'))
    const wishes = {
      profile,
      roomTypes: [],
      hotelPreferences: PREFERENCES.flatMap((name) => form[name] || []),
      keepTogether: form['together'] === 'on',
      paymentBy: form['pays'] === 'master' ? ('master' as const) : ('guest' as const),
      note: form['note']?.trim().slice(0, 1000) || null,
    }
    const identity = { ...toOwner(requester), name: requester.contactName || email, email, isTestData: requester.isTestData }
    try {
      const row = await changeAtEvent(web, site, { action: 'submit_block_request', actor }, (ctx) => submitRequest(ctx, identity, wishes))
      return c.redirect(`${site.paths.blockRequests}/${row.number}`, 303)
    } catch (error) {
      if (!(error instanceof AppError) || error.code === 'internal') throw error
      return showForm(c, person, requester, form, say('blockRequest.refused'))
    }
  })

  return newEventRouter(web).get(REQUEST_PATH, show).post(REQUEST_PATH, submit)
}
