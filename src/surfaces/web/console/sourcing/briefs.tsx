import type { Child } from 'hono/jsx'
import type { z } from 'zod'
import type { RoomSetup } from '../../../../domains/briefs/answers.ts'
import { getBrief } from '../../../../domains/briefs/briefs.ts'
import { describeBrief, listBriefs } from '../../../../domains/briefs/get.ts'
import { archiveBrief, lockOrUnlockBrief, restoreBrief } from '../../../../domains/briefs/lock.ts'
import { findQuestion, BRIEF_SECTIONS, type BriefSection } from '../../../../domains/briefs/questions.ts'
import type { BriefDetail, BriefSummary } from '../../../../domains/briefs/shapes.ts'
import type { EventContext } from '../../../../kernel/context.ts'
import { formatEnglishDateRange } from '../../components/dates.ts'
import { formatInteger } from '../../components/figures.tsx'
import { Button, Form, Input } from '../../components/forms.tsx'
import { renderListPage } from '../../components/list-page.tsx'
import { renderContentPage } from '../../components/page.tsx'
import {
  AssistantPrompt,
  Card,
  DescriptionList,
  Notice,
  StatusDot,
  type TableColumn,
  TimestampText,
  type ColourTone,
} from '../../components/parts.tsx'
import { type FormErrors, catchFormErrors } from '../../fields.ts'
import { formatAmountWithCurrency } from '../money/amounts.ts'
import type { Money } from '../../../../kernel/money.ts'
import { getCsrfToken, type WebContext, type WebServices } from '../../web.ts'
import { runEventChange, CONSOLE_EVENT_PATH, type EventPageContext, getEventPageContext } from '../event/event-page.ts'
import { readListQuery } from '../filters.ts'
import { createConsoleRouter, requireConsoleForm, sendConsolePage } from '../frame.tsx'
import { getNavigationPosition } from '../navigation.ts'
import { ROOM_SETUP_NAMES } from './room-setup-names.ts'

const BRIEFS_PATH = `${CONSOLE_EVENT_PATH}/briefs`
const PATH = `${BRIEFS_PATH}/:brief`
const NEW_BRIEF = 'Start a sourcing brief for this event and fill in what you know about it.'

type Brief = z.input<typeof BriefDetail>
type ListedBrief = z.input<typeof BriefSummary>

const STATUS: Record<ListedBrief['status'], { label: string; tone: ColourTone | undefined }> = {
  open: { label: 'Open', tone: undefined },
  locked: { label: 'Locked', tone: 'success' },
  archived: { label: 'Archived', tone: undefined },
}

const BriefStatus = ({ status }: Pick<ListedBrief, 'status'>) => <StatusDot tone={STATUS[status].tone}>{STATUS[status].label}</StatusDot>

const columns = (base: string): TableColumn<ListedBrief>[] => [
  {
    label: 'Brief',
    lead: true,
    cell: ({ id, title }) => (
      <a href={`${base}/briefs/${id}`} dir="auto">
        {title}
      </a>
    ),
  },
  { label: 'Status', twoLine: 'mark', cell: BriefStatus },
  { label: 'Version', number: true, cell: ({ version }) => (version === 0 ? '–' : formatInteger(version)) },
  { label: 'Changed', twoLine: 'detail', cell: ({ updatedAt }) => <TimestampText at={new Date(updatedAt)} /> },
]

const SECTION_TITLES: Record<BriefSection, string> = {
  basics: 'Basics',
  dates: 'Dates',
  place: 'Place',
  rooms: 'Hotel rooms',
  space: 'Meeting space',
  food: 'Food and drink',
  av: 'Audio and video',
  money: 'Money',
  terms: 'Terms',
  history: 'History',
}

const DAY = /^\d{4}-\d{2}-\d{2}$/
const formatDay = (day: string) => formatEnglishDateRange(day, day)

const isMoney = (value: unknown): value is Money => typeof value === 'object' && value !== null && 'amount' in value && 'currency' in value

/** Formats an answer of a sourcing brief: a list of texts on one line, a list of records with one line each. */
function formatAnswer(value: unknown): Child {
  if (typeof value === 'boolean') return value ? 'Yes' : 'No'
  if (Array.isArray(value) && value.every((one) => typeof one !== 'object')) return <bdi>{value.join(', ')}</bdi>
  if (Array.isArray(value))
    return (
      <ul class="plain">
        {value.map((one) => (
          <li>{formatRecord(one as Record<string, unknown>)}</li>
        ))}
      </ul>
    )
  if (isMoney(value)) return formatAmountWithCurrency(value)
  if (value !== null && typeof value === 'object') return Object.values(value).join(' ')
  return <bdi>{formatValue(value)}</bdi>
}

const formatValue = (value: unknown): string =>
  typeof value === 'number' ? formatInteger(value) : DAY.test(String(value)) ? formatDay(String(value)) : capitalize(String(value))

const capitalize = (words: string) => words.charAt(0).toUpperCase() + words.slice(1)

/** The unit after each number of an answer, such as "12 single rooms". */
const UNITS: Record<string, string> = {
  single: 'single rooms',
  double: 'double rooms',
  suite: 'suites',
  staff: 'staff rooms',
  contracted: 'rooms contracted',
  pickup: 'rooms used',
}

function formatRecord({ arrival, departure, from, until, setup, ...record }: Record<string, unknown>): string {
  return [
    ...(arrival ? [formatEnglishDateRange(String(arrival), String(departure))] : []),
    ...Object.entries(record).map(([key, value]) =>
      typeof value === 'number' ? `${formatInteger(value)} ${UNITS[key] ?? key}` : formatValue(value),
    ),
    ...(from ? [`${String(from)}–${String(until)}`] : []),
    ...(setup ? [ROOM_SETUP_NAMES[setup as RoomSetup]] : []),
  ].join(', ')
}

const Answers = ({ brief }: { brief: Brief }) => (
  <>
    {BRIEF_SECTIONS.map((section) => {
      const answers = Object.entries(brief.answers[section] ?? {})
      return answers.length === 0 ? null : (
        <Card title={SECTION_TITLES[section]}>
          <DescriptionList rows={answers.map(([code, value]) => [findQuestion(code)?.text ?? code, formatAnswer(value)])} />
        </Card>
      )
    })}
  </>
)

const Summary = ({ brief, base }: { brief: Brief; base: string }) => {
  const { roomNights, peak, covers, area } = brief.derived
  return (
    <Card title="In numbers">
      <DescriptionList
        rows={[
          ['Status', <BriefStatus status={brief.status} />],
          ['Room nights', formatInteger(roomNights)],
          ['Rooms on the peak night', formatInteger(peak)],
          ['Meals', formatInteger(covers)],
          ['Area in use at one time', area > 0 ? `${formatInteger(area)} m²` : '–'],
          [
            'Versions',
            brief.versions.length === 0
              ? 'Never locked'
              : brief.versions.map(({ version, lockedBy }) => `${version}, locked by ${lockedBy}`).join('; '),
          ],
          ['RFPs', brief.rfps.length === 0 ? 'None yet' : <Rfps rfps={brief.rfps} base={base} />],
        ]}
      />
    </Card>
  )
}

const Rfps = ({ rfps, base }: { rfps: Brief['rfps']; base: string }) => (
  <ul class="plain">
    {rfps.map(({ id, number, status }) => (
      <li>
        <a href={`${base}/rfps/${id}`}>{number}</a>, {status}
      </li>
    ))}
  </ul>
)

const LockCard = ({ brief, here, csrf }: { brief: Brief; here: string; csrf: string }) =>
  brief.status === 'archived' ? null : (
    <Card title={brief.status === 'locked' ? 'Unlock' : 'Lock'}>
      <Form action={`${here}/${brief.status === 'locked' ? 'unlock' : 'lock'}`} csrf={csrf} class="stack">
        <p class="prose">
          {brief.status === 'locked'
            ? 'Answers can then be changed. Version and RFPs stay as they are.'
            : 'An RFP is made from a locked brief. Changed answers become a new version.'}
        </p>
        <Input name="reason" label="Reason" optional="(optional)" maxlength={500} autocomplete="off" />
        <Button tone={brief.status === 'locked' ? undefined : 'primary'}>
          {brief.status === 'locked' ? 'Unlock brief' : 'Lock brief'}
        </Button>
      </Form>
    </Card>
  )

/** Archives a brief, or opens an archived one again. */
const ArchiveCard = ({ brief, here, csrf }: { brief: Brief; here: string; csrf: string }) => {
  const isArchived = brief.status === 'archived'
  return (
    <Card title={isArchived ? 'Archived' : 'Archive'}>
      <Form action={`${here}/${isArchived ? 'restore' : 'archive'}`} csrf={csrf} class="stack">
        <p class="prose">
          {isArchived
            ? 'This brief can be read but not changed. Restore it to change its answers or to lock it.'
            : 'An archived brief can be read but not changed. You can restore it at any time.'}
        </p>
        <Button>{isArchived ? 'Restore brief' : 'Archive brief'}</Button>
      </Form>
    </Card>
  )
}

const OpenPoints = ({ brief }: { brief: Brief }) => (
  <>
    {brief.missing.length === 0 ? null : (
      <Notice tone="warning">Still needed: {brief.missing.map((code) => findQuestion(code)!.text).join(' ')}</Notice>
    )}
    {[...new Set(brief.contradictions.map(({ message }) => message))].map((message) => (
      <Notice tone="danger">{message}</Notice>
    ))}
  </>
)

async function sendBrief(web: WebServices, c: WebContext, at: EventPageContext, formErrors?: FormErrors | null) {
  const brief = await describeBrief(at.reading, await getBrief(at.reading, c.req.param('brief') ?? ''))
  const here = `${at.base}/briefs/${brief.id}`
  const mayWrite = at.permissions.has('sourcing.write')
  const page = renderContentPage(
    {
      title: `${brief.title}, ${at.event.name}`,
      heading: brief.title,
      text: brief.version === 0 ? 'Never locked' : `Version ${brief.version}`,
      crumbs: [
        { href: at.base, label: at.event.name },
        { href: `${at.base}/briefs`, label: 'Briefs' },
      ],
      formErrors,
    },
    <div class="stack wide-labels">
      <OpenPoints brief={brief} />
      {mayWrite && brief.status === 'locked' ? (
        <Card title="Next step: ask for offers">
          <AssistantPrompt id="ask-rfp" text={`Create a request for proposal from the brief “${brief.title}”, due in three weeks.`} />
        </Card>
      ) : null}
      <Summary brief={brief} base={at.base} />
      <Answers brief={brief} />
      {mayWrite && brief.status === 'open' ? (
        <Card title="Change answers">
          <AssistantPrompt id="ask" text={`Ask me the next questions of the sourcing brief “${brief.title}”.`} />
        </Card>
      ) : null}
      {mayWrite ? <LockCard brief={brief} here={here} csrf={getCsrfToken(web, c)} /> : null}
      {mayWrite ? <ArchiveCard brief={brief} here={here} csrf={getCsrfToken(web, c)} /> : null}
    </div>,
  )
  return sendConsolePage(web, c, getNavigationPosition(at, 'briefs'), page)
}

/** `…/briefs`: the sourcing briefs of an event, and the answers of one, which can be locked, unlocked and archived. */
export function sourcingBriefPages(web: WebServices) {
  const changing =
    (action: string, run: (ctx: EventContext, briefId: string, reason: string | undefined) => Promise<unknown>) =>
    async (c: WebContext) => {
      const form = await requireConsoleForm(web, c)
      const at = await getEventPageContext(web, c, 'sourcing.write')
      const briefId = c.req.param('brief') ?? ''
      const reason = form['reason']?.trim().slice(0, 500) || undefined
      const failed = await catchFormErrors(
        () => runEventChange(web, at, action, (ctx) => run(ctx, briefId, reason)),
        () => '',
      )
      return failed ? sendBrief(web, c, at, failed) : c.redirect(`${at.base}/briefs/${briefId}?done=saved`, 303)
    }
  const locking = (unlock: boolean) => changing('lock_brief', (ctx, briefId, reason) => lockOrUnlockBrief(ctx, { briefId, unlock, reason }))
  return createConsoleRouter(web)
    .get(BRIEFS_PATH, async (c) => {
      const at = await getEventPageContext(web, c, 'sourcing.read')
      const { cursor, cursorScope, pageLinks } = readListQuery(c, `briefs of ${at.event.id}`, [])
      const { briefs, nextCursor } = await listBriefs({ ...at.reading, cursorScope }, { limit: 50, cursor })
      const page = renderListPage({
        title: `Briefs of ${at.event.name}`,
        heading: 'Briefs',
        text: 'What the event needs from hotels and venues. A locked brief becomes an RFP.',
        crumbs: [{ href: at.base, label: at.event.name }],
        caption: 'Briefs, the newest first',
        columns: columns(at.base),
        rows: briefs,
        foot: briefs.length > 0 && at.permissions.has('sourcing.write') ? <AssistantPrompt id="ask-brief" text={NEW_BRIEF} /> : null,
        empty: {
          title: 'No briefs yet',
          ask: NEW_BRIEF,
          text: 'A brief asks for dates, places, rooms, space, food and money, question by question.',
        },
        pages: pageLinks(`${at.base}/briefs`, nextCursor),
      })
      return sendConsolePage(web, c, getNavigationPosition(at, 'briefs'), page)
    })
    .get(PATH, async (c) => sendBrief(web, c, await getEventPageContext(web, c, 'sourcing.read')))
    .post(`${PATH}/lock`, locking(false))
    .post(`${PATH}/unlock`, locking(true))
    .post(`${PATH}/archive`, changing('archive_brief', archiveBrief))
    .post(`${PATH}/restore`, changing('restore_brief', restoreBrief))
}
