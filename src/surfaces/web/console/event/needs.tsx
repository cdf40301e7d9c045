import type { SetupTask, setupTasks } from '../../../../domains/authoring/setup/tasks.ts'
import type { FlowOpening } from '../../../../domains/registration/openings.ts'
import { numberInWords } from '../../components/figures.tsx'
import { Ask, Badge, Card, Status, type Tone } from '../../components/parts.tsx'
import { dayIn } from '../../../../kernel/time.ts'
import { daysInWords } from '../../components/dates.ts'
import { askFor } from './asks.ts'

const STATES: Record<FlowOpening['state'], { word: string; tone?: Tone; hollow?: true }> = {
  open: { word: 'Open', tone: 'success' },
  notYet: { word: 'Not yet', hollow: true },
  closed: { word: 'Closed' },
  full: { word: 'Full', tone: 'warning' },
  waitlist: { word: 'Waitlist', tone: 'warning' },
}

interface Moment {
  timezone: string
  now: Date
}

function saidOf({ flow, state, left }: FlowOpening, { timezone }: Moment): string {
  const dayOf = (ms: number) => {
    const day = dayIn(timezone, new Date(ms))
    return daysInWords(day, day)
  }
  const when =
    state === 'notYet'
      ? `opens ${dayOf(Date.parse(flow.opensAt!))}`
      : // What closes at midnight is open all of the day before.
        flow.closesAt !== null
        ? `until ${dayOf(Date.parse(flow.closesAt) - 1)}`
        : null
  const places = left === null || state === 'closed' ? null : left === 1 ? '1 place left' : `${numberInWords(left)} places left`
  return [when, places].filter((part) => part !== null).join(' · ')
}

/** Where people can register at this moment. Null stands for an event that was never published. */
export const OpenNow = ({ openings, moment, archived }: { openings: FlowOpening[] | null; moment: Moment; archived: boolean }) => {
  const open = openings?.filter(({ state }) => state === 'open' || state === 'waitlist').length ?? 0
  return (
    <Card title="Open now" actions={openings && !archived ? <span class="muted">{`${open} of ${openings.length}`}</span> : null}>
      {archived ? (
        <p class="muted">The event is archived: nobody can register any more.</p>
      ) : openings === null ? (
        <p class="muted">Nothing is open: the event was never published.</p>
      ) : openings.length === 0 ? (
        <p class="muted">Nothing is open: what is live has no way to register.</p>
      ) : (
        <ul class="doors">
          {openings.map((opening) => {
            const { word, ...looks } = STATES[opening.state]
            const byInvitation = opening.flow.inviteOnly && opening.state === 'open'
            return (
              <li>
                <span dir="auto">{opening.flow.name}</span>
                <Status {...looks}>{byInvitation ? 'By invitation' : word}</Status>
                <span class="v">{saidOf(opening, moment)}</span>
              </li>
            )
          })}
        </ul>
      )}
    </Card>
  )
}

type Setup = Awaited<ReturnType<typeof setupTasks>>

/** Everything that must be done before people can register, with what to say to an assistant; what is only worth doing is folded away. */
export const SetUp = ({ setup, event }: { setup: Setup; event: { name: string } }) => {
  const isOpen = ({ state }: SetupTask) => state === 'todo' || state === 'blocked'
  const needed = setup.tasks.filter(({ blocks, state }) => blocks !== 'nothing' && state !== 'notNeeded')
  const blocking = needed.filter(isOpen)
  const worthDoing = setup.tasks.filter((task) => task.blocks === 'nothing' && isOpen(task))
  const titles = new Map(setup.tasks.map(({ code, title }) => [code, title]))
  const list = (tasks: SetupTask[]) => (
    <ul class="tasks">
      {tasks.map((task) => (
        <Task task={task} titles={titles} event={event} />
      ))}
    </ul>
  )
  return (
    <Card
      title={blocking.length > 0 ? 'What still blocks opening' : 'Set-up'}
      actions={
        blocking.length > 0 ? (
          <Badge tone="warning">{`${blocking.length} left of ${needed.length}`}</Badge>
        ) : (
          <Badge tone="success">ready</Badge>
        )
      }
    >
      {blocking.length > 0 ? list(blocking) : <p class="muted">Nothing blocks opening registration.</p>}
      {worthDoing.length > 0 ? (
        <details class="more">
          <summary>{worthDoing.length === 1 ? '1 more thing is worth doing' : `${worthDoing.length} more things are worth doing`}</summary>
          {list(worthDoing)}
        </details>
      ) : null}
    </Card>
  )
}

const Task = ({ task, titles, event }: { task: SetupTask; titles: ReadonlyMap<string, string>; event: { name: string } }) => {
  const ask = task.state === 'todo' ? askFor(task.code, event) : null
  const why = task.state === 'blocked' ? `First: ${task.blockedBy.map((code) => titles.get(code) ?? code).join(', ')}.` : task.why
  return (
    <li>
      <h3>{task.title}</h3>
      <p class="why">{why}</p>
      {ask ? <Ask id={`ask-${task.code}`} text={ask} /> : null}
    </li>
  )
}
