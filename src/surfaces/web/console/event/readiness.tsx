import type { SetupTask, listSetupTasks } from '../../../../domains/authoring/setup/tasks.ts'
import type { EventConfig } from '../../../../domains/configuration/schema/event-config.ts'
import type { FlowAvailability } from '../../../../domains/registration/flows/flow-openings.ts'
import { formatInteger } from '../../components/figures.tsx'
import { AssistantPrompt, StatusLabel, Card, StatusDot, type ColourTone } from '../../components/parts.tsx'
import { formatList } from '../../../../kernel/language/format.ts'
import { toDayInZone } from '../../../../kernel/time.ts'
import { formatEnglishDateRange } from '../../components/dates.ts'
import { getSetupTaskPrompt } from './prompts.ts'
import { formatSetupReason } from './setup-reasons.ts'

const OPENING_LABELS: Record<FlowAvailability['state'], { word: string; tone?: ColourTone; hollow?: true }> = {
  open: { word: 'Open', tone: 'success' },
  notYet: { word: 'Not open yet', hollow: true },
  closed: { word: 'Closed' },
  full: { word: 'Full', tone: 'warning' },
  waitlist: { word: 'Waiting list', tone: 'warning' },
}

interface EventClock {
  timezone: string
  now: Date
}

function describeOpening({ flow, state, left }: FlowAvailability, { timezone }: EventClock): string {
  const dayOf = (ms: number) => {
    const day = toDayInZone(timezone, new Date(ms))
    return formatEnglishDateRange(day, day)
  }
  const when =
    state === 'notYet'
      ? `opens ${dayOf(Date.parse(flow.opensAt!))}`
      : // A flow that closes at midnight is shown as open until the previous day.
        flow.closesAt !== null
        ? `until ${dayOf(Date.parse(flow.closesAt) - 1)}`
        : null
  const places = left === null || state === 'closed' ? null : left === 1 ? '1 seat left' : `${formatInteger(left)} seats left`
  return [when, places].filter((part) => part !== null).join(' · ')
}

const isOpenNow = ({ state }: FlowAvailability) => state === 'open' || state === 'waitlist'

/** The registration flows that are open now. `openings` is null if the event was never published. */
export const OpenFlowsCard = ({
  openings,
  moment,
  archived,
}: {
  openings: FlowAvailability[] | null
  moment: EventClock
  archived: boolean
}) => {
  const open = openings?.filter(isOpenNow).length ?? 0
  return (
    <Card title="Open now" actions={openings && !archived ? <span class="muted">{`${open} of ${openings.length}`}</span> : null}>
      {archived ? (
        <p class="muted">This event is archived. Registration is closed.</p>
      ) : openings === null ? (
        <p class="muted">Nothing is open: this event has not been published.</p>
      ) : openings.length === 0 ? (
        <p class="muted">Nothing is open: the live version has no registration flow.</p>
      ) : (
        <ul class="doors">
          {openings.map((opening) => {
            const { word, ...looks } = OPENING_LABELS[opening.state]
            const byInvitation = opening.flow.inviteOnly && opening.state === 'open'
            return (
              <li>
                <span dir="auto">{opening.flow.name}</span>
                <StatusDot {...looks}>{byInvitation ? 'By invitation' : word}</StatusDot>
                <span class="v">{describeOpening(opening, moment)}</span>
              </li>
            )
          })}
        </ul>
      )}
    </Card>
  )
}

type Setup = Awaited<ReturnType<typeof listSetupTasks>>

interface SetupProps {
  setup: Setup
  event: { name: string }
  /** The draft configuration, for the names of products and registration flows. */
  config: EventConfig
  /** The registration flows with their opening times; null if the event was never published. */
  openings: FlowAvailability[] | null
}

/**
 * The setup tasks that must be done before registration can open, each with a prompt for an assistant. If a registration flow is open
 * already, they are listed as unfinished. Optional tasks, and tasks that depend on others, are collapsed.
 */
export const SetupCard = ({ setup, event, config, openings }: SetupProps) => {
  const isOpen = ({ state }: SetupTask) => state === 'todo' || state === 'blocked'
  const needed = setup.tasks.filter(({ blocks, state }) => blocks !== 'nothing' && state !== 'notNeeded')
  const blocking = needed.filter(isOpen)
  const isRegistrationOpen = openings?.some(isOpenNow) ?? false
  const optionalTasks = setup.tasks.filter((task) => task.blocks === 'nothing' && isOpen(task))
  const [ready, waiting] = [blocking.filter(({ state }) => state === 'todo'), blocking.filter(({ state }) => state === 'blocked')]
  const titles = new Map(setup.tasks.map(({ code, title }) => [code, title]))
  const list = (tasks: SetupTask[]) => (
    <ul class="tasks">
      {tasks.map((task) => (
        <Task task={task} titles={titles} event={event} config={config} />
      ))}
    </ul>
  )
  return (
    <Card
      title={blocking.length === 0 ? 'Setup' : isRegistrationOpen ? 'Unfinished setup tasks' : 'Before you can open registration'}
      actions={
        blocking.length > 0 ? (
          <StatusLabel tone="warning">{`${blocking.length} of ${needed.length} left`}</StatusLabel>
        ) : (
          <StatusLabel tone="success">ready</StatusLabel>
        )
      }
    >
      {isRegistrationOpen ? (
        <p class="muted lead-in">{blocking.length > 0 ? 'Registration is open. These tasks are not done yet:' : 'Registration is open.'}</p>
      ) : blocking.length === 0 ? (
        <p class="muted">Registration can open.</p>
      ) : null}
      {ready.length > 0 ? list(ready) : null}
      {waiting.length > 0 ? (
        <details class="more" open={ready.length === 0}>
          <summary>{waiting.length === 1 ? '1 task after that' : `${waiting.length} tasks after that`}</summary>
          {list(waiting)}
        </details>
      ) : null}
      {optionalTasks.length > 0 ? (
        <details class="more">
          <summary>{optionalTasks.length === 1 ? '1 optional task' : `${optionalTasks.length} optional tasks`}</summary>
          {list(optionalTasks)}
        </details>
      ) : null}
    </Card>
  )
}

interface TaskProps extends Pick<SetupProps, 'event' | 'config'> {
  task: SetupTask
  titles: ReadonlyMap<string, string>
}

const Task = ({ task, titles, event, config }: TaskProps) => {
  const isBlocked = task.state === 'blocked'
  const ask = task.state === 'todo' ? getSetupTaskPrompt(task.code, event) : null
  const before = task.blockedBy.map((code) => `“${titles.get(code) ?? code}”`)
  const why = isBlocked ? `After ${formatList('en-GB', before)}.` : formatSetupReason(task, config)
  return (
    <li class={isBlocked ? 'blocked' : undefined}>
      <h3>{task.title}</h3>
      <p class="why">{why}</p>
      {ask ? <AssistantPrompt id={`ask-${task.code}`} text={ask} introduced={false} /> : null}
    </li>
  )
}
