import { readDraftConfiguration, readLiveConfiguration } from '../../../../domains/configuration/read.ts'
import type { EventConfig } from '../../../../domains/configuration/schema/event-config.ts'
import { countEntriesAheadOnWaitlist, listPeopleOnWaitlist, listWaitlists } from '../../../../domains/registration/waitlist/queues.ts'
import { getWaitlistTargetName } from '../../../../domains/registration/waitlist/waitlist.ts'
import { LinkButton } from '../../components/forms.tsx'
import { ActionsCard, ExpandableAction } from '../../components/outcome.tsx'
import { renderContentPage } from '../../components/page.tsx'
import { Card, EmptyState, Notice } from '../../components/parts.tsx'
import { renderChangePreviewPage } from '../../components/preview-then-confirm.tsx'
import { ChangeEffectList } from '../../components/outcome.tsx'
import { formatInteger } from '../../components/figures.tsx'
import { type FormErrors, catchFormErrors } from '../../fields.ts'
import { getCsrfToken, type FormValues, type WebContext, type WebServices } from '../../web.ts'
import { requireConfirmation } from '../confirmation.ts'
import { runEventChange, CONSOLE_EVENT_PATH, type EventPageContext, getEventPageContext, previewEventChange } from '../event/event-page.ts'
import { buildListPath, readListQuery } from '../filters.ts'
import { createConsoleRouter, requireConsoleForm, sendConsolePage } from '../frame.tsx'
import { getNavigationPosition } from '../navigation.ts'
import { WaitlistOfferForm } from './offer-form.tsx'
import { describeWaitlistOutcome, hasWaitlistEffects } from './outcome.tsx'
import { WaitlistQueueTables, WaitlistCounts } from './queue.tsx'
import {
  toConfirmableWaitlistAction,
  type WaitlistDryRun,
  previewWaitlistAction,
  getWaitlistFieldLabel,
  readWaitlistActionForm,
  runWaitlistAction,
  type WaitlistActionRequest,
} from './request.ts'

const PATH = `${CONSOLE_EVENT_PATH}/waitlist`

/** Maximum number of seats that the form suggests to offer, because opening the page already makes a dry run of this offer. */
const MAX_INITIAL_OFFERS = 25
const PAGE_SIZE = 50

const CHANGED = { message: 'What will happen has changed, or 10 minutes have passed. Check it again, then confirm.' }

/** Query parameters with the result of the previous action, as numbers only: a link cannot inject any text. */
const RESULTS = ['offered', 'promoted', 'charging', 'withdrawn', 'removed', 'skipped'] as const

const people = (count: number) => (count === 1 ? '1 person' : `${formatInteger(count)} people`)
const seats = (count: number) => (count === 1 ? '1 seat' : `${formatInteger(count)} seats`)

const RESULT_TEXTS: Record<(typeof RESULTS)[number], (count: number) => string> = {
  offered: (count) => `${seats(count)} offered. The offers are listed below, with the time they end.`,
  promoted: (count) => `${people(count)} got a seat.`,
  charging: (count) => `${count === 1 ? '1 saved card is' : `${formatInteger(count)} saved cards are`} being charged.`,
  withdrawn: (count) => `${count === 1 ? '1 offer' : `${formatInteger(count)} offers`} withdrawn.`,
  removed: (count) => `${people(count)} removed from the waiting list.`,
  skipped: (count) => `${people(count)} skipped.`,
}

const ResultNotice = ({ c }: { c: WebContext }) => {
  const counts = RESULTS.map((name) => [name, Math.min(1000, Math.floor(Number(c.req.query(name)) || 0))] as const)
  const texts = counts.filter(([, count]) => count > 0).map(([name, count]) => RESULT_TEXTS[name](count))
  return texts.length > 0 ? <Notice tone="success">{texts.join(' ')}</Notice> : null
}

const DataSwitch = ({ here, test }: { here: string; test: boolean }) => (
  <nav class="switch" aria-label="Test data">
    <a href={here} aria-current={test ? undefined : 'true'}>
      Real data
    </a>
    <a href={`${here}?test=yes`} aria-current={test ? 'true' : undefined}>
      Test data
    </a>
  </nav>
)

/** `…/waitlist`: the waiting lists of the event, with the seats that can be offered and the offers that are open. */
export function waitlistPages(web: WebServices) {
  const tryDryRun = async (at: EventPageContext, request: WaitlistActionRequest) => {
    let made: WaitlistDryRun | null = null
    const refused = await catchFormErrors(async () => {
      made = await previewEventChange(web, at, 'promote_waitlist_entries', (ctx) => previewWaitlistAction(ctx, request))
    }, getWaitlistFieldLabel)
    return { made: made as WaitlistDryRun | null, refused }
  }

  async function readConfig(at: EventPageContext): Promise<{ config: EventConfig; now: Date }> {
    const draft = await readDraftConfiguration(at.reading)
    return { config: ((await readLiveConfiguration(at.reading, draft)) ?? draft).config, now: draft.facts.now }
  }

  async function listPage(c: WebContext, at: EventPageContext, sent: FormValues | null = null, formErrors: FormErrors | null = null) {
    const here = `${at.base}/waitlist`
    const { filter, cursor, cursorScope, pageLinks } = readListQuery(c, `waiting list of ${at.event.id}`, ['target', 'test'])
    const isTestData = (sent?.['test'] ?? filter.test) === 'yes'
    const wanted = sent?.['target'] ?? filter.target
    const { config, now } = await readConfig(at)
    const lists = await listWaitlists(at.reading, { isTestData, also: wanted })
    const list = lists.find(({ target }) => target === wanted) ?? lists[0]
    const head = {
      title: `Waiting lists of ${at.event.name}`,
      heading: 'Waiting lists',
      text: 'People are offered a seat in the order they joined. An offer holds the seat until it expires.',
      crumbs: [{ href: `${at.base}/participants`, label: 'Participants' }],
      actions: <DataSwitch here={here} test={isTestData} />,
    }
    if (!list) {
      const empty = (
        <EmptyState
          title="No one is waiting"
          ask={`Which products of ${at.event.name} are nearly sold out? Turn on their waiting lists when I agree.`}
        >
          <p>People join a waiting list when a product, a flow or the event is full and has a waiting list.</p>
        </EmptyState>
      )
      return sendConsolePage(web, c, getNavigationPosition(at, 'waitlist'), renderContentPage({ ...head, formErrors }, empty))
    }
    const { target } = list
    const name = getWaitlistTargetName(config, target)
    const reading = { ...at.reading, cursorScope: `${cursorScope} ${target}` }
    const [offers, queue] = await Promise.all([
      listPeopleOnWaitlist(reading, { target, status: 'offered', isTestData, limit: PAGE_SIZE }),
      listPeopleOnWaitlist(reading, { target, status: 'waiting', isTestData, limit: PAGE_SIZE, cursor }),
    ])
    const first = queue.items[0]
    const before = cursor && first ? await countEntriesAheadOnWaitlist(reading, { target, entryId: first.entryId, isTestData }) : 0
    const mayWrite = at.permissions.has('registration.write') && at.event.status !== 'archived'
    const most = Math.max(0, Math.min(list.available ?? list.waiting, list.waiting))
    const csrf = getCsrfToken(web, c)
    const hidden = { target, ...(isTestData ? { test: 'yes' } : {}) }
    const offering =
      mayWrite && !isTestData && most > 0
        ? await offerForm(at, {
            form: sent ?? { count: String(Math.min(most, MAX_INITIAL_OFFERS)), offerHours: '48' },
            formErrors,
            shared: { action: here, csrf, hidden: { ...hidden, action: 'promote' }, most, tags: config.tags.slice(0, 20) },
            listName: name,
            hasCards: queue.items.some(({ card }) => card !== null),
          })
        : { errors: formErrors, shown: null }
    const page = renderContentPage(
      { ...head, formErrors: offering.errors },
      <>
        <ResultNotice c={c} />
        <nav class="tabs" aria-label="Waiting lists">
          {lists.map((one) => (
            <a
              href={buildListPath(here, { target: one.target, test: isTestData ? 'yes' : undefined })}
              aria-current={one.target === target ? 'page' : undefined}
            >
              <bdi>{getWaitlistTargetName(config, one.target)}</bdi> <span>{formatInteger(one.waiting)}</span>
            </a>
          ))}
        </nav>
        <WaitlistCounts list={list} now={now} timezone={at.event.timezone} />
        {offering.shown ? (
          <ActionsCard
            title={list.available === null ? 'Offer seats' : `Fill the ${most === 1 ? 'free seat' : `${most} free seats`}`}
            id="fill"
          >
            <ExpandableAction
              title="Offer seats to the next in line"
              note={list.available === null ? 'no limit' : `${formatInteger(list.available)} free`}
              open
            >
              {offering.shown}
            </ExpandableAction>
          </ActionsCard>
        ) : null}
        <WaitlistQueueTables
          at={at}
          now={now}
          here={here}
          csrf={csrf}
          hidden={hidden}
          offers={offers.items}
          queue={queue.items}
          before={before}
          total={list.waiting}
          tags={config.tags}
          mayWrite={mayWrite}
          hasSeats={isTestData || list.available === null || list.available > 0}
          pages={pageLinks(here, queue.nextCursor)}
        />
      </>,
    )
    return sendConsolePage(web, c, getNavigationPosition(at, 'waitlist'), page)
  }

  interface Offering {
    form: FormValues
    formErrors: FormErrors | null
    shared: Pick<Parameters<typeof WaitlistOfferForm>[0], 'action' | 'csrf' | 'hidden' | 'most' | 'tags'>
    listName: string
    hasCards: boolean
  }

  /** Builds the form that offers seats, with its dry run. With invalid values, the form has no dry run. */
  async function offerForm(at: EventPageContext, { form, formErrors, shared, listName, hasCards }: Offering) {
    const read = readWaitlistActionForm({ ...form, ...shared.hidden })
    const { made, refused } = 'data' in read ? await tryDryRun(at, read.data) : { made: null, refused: read }
    const taken = made ? made.outcome.results.filter(({ outcome }) => outcome !== 'skipped').length : 0
    const about = { listName, timezone: at.event.timezone }
    return {
      errors: formErrors ?? refused,
      shown: (
        <WaitlistOfferForm
          {...shared}
          form={form}
          formErrors={formErrors ?? refused}
          mayCharge={hasCards && at.permissions.has('money.write') && at.reading.cards.for({ isTestData: form['test'] === 'yes' }) !== null}
          effects={
            made && 'data' in read ? describeWaitlistOutcome(made, read.data, about) : ['Nothing yet: correct the form, then check again.']
          }
          confirmToken={made?.confirmToken ?? ''}
          submit={taken > 0 ? ((read as { data: WaitlistActionRequest }).data.entryIds ? 'Offer the seat' : `Offer ${seats(taken)}`) : null}
        />
      ),
    }
  }

  const TITLES: Record<WaitlistActionRequest['action'], (name: string) => string> = {
    promote: (name) => `Offer a seat to ${name}`,
    accept: (name) => `Accept the offer for ${name}`,
    withdraw: (name) => `Withdraw the offer to ${name}`,
    remove: (name) => `Remove ${name} from the waiting list`,
  }
  const BUTTONS = { accept: 'Accept offer', withdraw: 'Withdraw offer', remove: 'Remove' } as const

  /** Builds the page about one person on the waiting list: the effects of the action, and the button that confirms it. */
  async function entryPage(
    c: WebContext,
    at: EventPageContext,
    form: FormValues,
    request: WaitlistActionRequest,
    formErrors: FormErrors | null,
  ) {
    const here = `${at.base}/waitlist`
    const back = buildListPath(here, { target: request.target, test: form['test'] })
    const { config } = await readConfig(at)
    const listName = getWaitlistTargetName(config, request.target)
    const { made, refused } = await tryDryRun(at, request)
    if (!made) return listPage(c, at, { target: request.target, test: form['test'] ?? '' }, refused)
    const name = [...made.names.values()][0] ?? 'this person'
    const csrf = getCsrfToken(web, c)
    const hidden = {
      action: request.action,
      target: request.target,
      entryId: request.entryIds![0]!,
      ...(form['test'] ? { test: form['test'] } : {}),
    }
    const head = { title: TITLES[request.action](name), crumbs: [{ href: back, label: 'Waiting lists' }], formErrors }
    const effects = describeWaitlistOutcome(made, request, { listName, timezone: at.event.timezone })
    if (request.action !== 'promote' && hasWaitlistEffects(made))
      return sendConsolePage(
        web,
        c,
        getNavigationPosition(at, 'waitlist'),
        renderChangePreviewPage({
          ...head,
          action: here,
          csrf,
          hidden: { ...hidden, confirmToken: made.confirmToken },
          effects: <ChangeEffectList danger={request.action !== 'accept'} effects={effects} />,
          submit: BUTTONS[request.action],
          back: { href: back, label: 'Cancel' },
        }),
      )
    const shown =
      request.action === 'promote' ? (
        <Card>
          {
            (
              await offerForm(at, {
                form,
                formErrors,
                shared: { action: here, csrf, hidden, most: null, tags: [] },
                listName,
                hasCards: true,
              })
            ).shown
          }
        </Card>
      ) : (
        <>
          <Card>
            <ChangeEffectList effects={effects} />
          </Card>
          <LinkButton href={back}>Back to the waiting list</LinkButton>
        </>
      )
    return sendConsolePage(web, c, getNavigationPosition(at, 'waitlist'), renderContentPage(head, shown))
  }

  return createConsoleRouter(web)
    .get(PATH, async (c) => listPage(c, await getEventPageContext(web, c, 'registration.read')))
    .post(PATH, async (c) => {
      const form = await requireConsoleForm(web, c)
      const at = await getEventPageContext(web, c, 'registration.write')
      const read = readWaitlistActionForm(form)
      if ('errors' in read) return listPage(c, at, form, read)
      const request: WaitlistActionRequest = read.data
      const show = (formErrors: FormErrors | null = null) =>
        request.entryIds ? entryPage(c, at, form, request, formErrors) : listPage(c, at, form, formErrors)
      if (!form['confirmToken'] || form['check'] === 'yes') return show()
      let results: Record<(typeof RESULTS)[number], number> | null = null
      const formErrors = await catchFormErrors(async () => {
        results = await runEventChange(web, at, 'promote_waitlist_entries', async (ctx) => {
          const done = await runWaitlistAction(ctx, request)
          await requireConfirmation(ctx, toConfirmableWaitlistAction(request), form['confirmToken'])
          const having = (outcome: string) => done.results.filter((result) => result.outcome === outcome).length
          return {
            offered: done.offered,
            promoted: done.promoted,
            charging: having('charge_pending'),
            withdrawn: having('withdrawn'),
            removed: having('removed'),
            skipped: having('skipped'),
          }
        })
      }, getWaitlistFieldLabel)
      if (formErrors) return show(formErrors.reason === 'unconfirmed' ? CHANGED : formErrors)
      const counts = Object.entries(results!).filter(([, count]) => count > 0)
      const query = Object.fromEntries(counts.map(([name, count]) => [name, String(count)]))
      return c.redirect(buildListPath(`${at.base}/waitlist`, { target: request.target, test: form['test'], ...query }), 303)
    })
}
