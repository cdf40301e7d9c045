import { isLoopback } from '../../../kernel/loopback.ts'
import { type Permissions, permissionsAnywhere } from '../../../kernel/permissions.ts'
import { TOOLSETS_IN_ORDER } from '../../../toolsets/index.ts'
import { ORGANIZER_PATH } from '../../organizer-mcp/endpoint.ts'
import { PRESETS } from '../../organizer-mcp/presets.ts'
import { Heading } from '../components/layout.tsx'
import { Badge, Card, Copy, Notice } from '../components/parts.tsx'
import type { Web } from '../web.ts'
import { type Assistant, assistantsFor } from './assistants.ts'
import { consolePages, frame } from './frame.tsx'

const PATH = '/console/connect'
/** Several programs take no more than this many tools, and say nothing about the rest. */
const COMMON_LIMIT = 128

interface Choice {
  slug: string
  label: string
  toolsets: readonly string[]
  tools: number
}

/** What a connection of these toolsets lists for somebody with these permissions; the tool to begin with is always there. */
function toolsIn(toolsets: readonly string[], permissions: Permissions): number {
  const names = TOOLSETS_IN_ORDER.filter((set) => toolsets.length === 0 || toolsets.includes(set.name)).flatMap((set) =>
    set.tools.filter((tool) => tool.permissions.every((permission) => permissions.has(permission))).map(({ name }) => name),
  )
  return new Set(['list_my_events', ...names]).size
}

/** Jobs of which this person can do nothing are not theirs to choose. */
function choicesFor(permissions: Permissions): Choice[] {
  const jobs = PRESETS.map(({ name, toolsets }) => ({
    slug: name.replaceAll(' ', '-'),
    label: name[0]!.toUpperCase() + name.slice(1),
    toolsets,
    tools: toolsIn(toolsets, permissions),
  }))
  return [
    { slug: '', label: 'Everything', toolsets: [], tools: toolsIn([], permissions) },
    ...jobs.filter(({ toolsets }) => toolsets.some((toolset) => permissions.has(`${toolset}.read`))),
  ]
}

const counted = (tools: number) => (tools === 1 ? '1 tool' : `${tools} tools`)

const Presets = ({ choices, chosen }: { choices: readonly Choice[]; chosen: Choice }) => (
  <form method="get" action={PATH} class="stack">
    <fieldset>
      <legend class="legend">What should it work on?</legend>
      <p class="muted">
        One job at a time is best: assistants choose better among fewer tools, and several programs stop at {COMMON_LIMIT}.
      </p>
      <div class="options">
        {choices.map((choice) => (
          <div class="choice">
            <input
              type="radio"
              id={`preset-${choice.slug || 'all'}`}
              name="preset"
              value={choice.slug}
              checked={choice === chosen}
              aria-describedby={`preset-${choice.slug || 'all'}-help`}
            />
            <div>
              <label for={`preset-${choice.slug || 'all'}`}>{choice.label}</label>
              <div class="help" id={`preset-${choice.slug || 'all'}-help`}>
                {choice.toolsets.length > 0 ? choice.toolsets.join(', ') : 'all toolsets'} · {counted(choice.tools)}
              </div>
            </div>
          </div>
        ))}
      </div>
    </fieldset>
    <button type="submit" class="button">
      Show the address for it
    </button>
  </form>
)

/** While only this computer reaches the server, programs on it come first. */
const nearestFirst = (assistants: readonly Assistant[], local: boolean): readonly Assistant[] =>
  local ? assistants.toSorted((a, b) => Number(a.fromAfar ?? false) - Number(b.fromAfar ?? false)) : assistants

const HowTo = ({ assistant, local, open }: { assistant: Assistant; local: boolean; open: boolean }) => (
  <details class="stack-s how-to" open={open}>
    <summary>
      <h3>{assistant.name}</h3>
      {local && assistant.fromAfar ? <Badge tone="warning">needs a public address</Badge> : null}
    </summary>
    <p>{assistant.steps}</p>
    {local && assistant.fromAfar ? (
      <p class="muted">It calls from outside and cannot reach localhost: give this server a public address first.</p>
    ) : null}
    {assistant.link ? (
      <p>
        <a class="button small" href={assistant.link.href}>
          {assistant.link.label}
        </a>
      </p>
    ) : null}
    {assistant.copy ? (
      <>
        <p class="muted">{assistant.copy.where}</p>
        <Copy id={`${assistant.id}-text`} text={assistant.copy.text} block />
      </>
    ) : null}
  </details>
)

const Next = () => (
  <Card title="What happens next">
    <ol class="steps">
      <li>Your assistant opens a page of this site in your browser. Sign in, if you are not signed in already.</li>
      <li>The page says which app asks, where it returns to and what it may do. Choose “Authorize” only if you started this yourself.</li>
      <li>
        Back in the assistant, say: <strong>“List my events”</strong>. It answers with the events that you see here.
      </li>
      <li>
        The app now stands under <a href="/console/account/apps">Connected apps</a>. Disconnecting it there works at once.
      </li>
    </ol>
    <p class="muted">
      It acts in your name, with your permissions and nothing more. What it changes is in the <a href="/console/audit">audit log</a> under
      your name and its own.
    </p>
  </Card>
)

/** `/console/connect`: how an organizer's assistant gets to work here. */
export function connectPages(web: Web) {
  const { baseUrl } = web.road
  const local = isLoopback(new URL(baseUrl).hostname)
  return consolePages(web).get(PATH, (c) => {
    const choices = choicesFor(permissionsAnywhere(c.get('session').access))
    const chosen = choices.find((choice) => choice.slug === c.req.query('preset')) ?? choices[0]!
    const url = `${baseUrl}${ORGANIZER_PATH}${chosen.toolsets.length > 0 ? `?toolsets=${chosen.toolsets.join(',')}` : ''}`
    const off = c.get('session').access.clients.filter((client) => !client.aiAssistantsAllowed)
    return frame(
      web,
      c,
      { title: 'Connect an assistant', current: PATH },
      <>
        <Heading
          title="Connect an assistant"
          text="Claude, ChatGPT, Copilot or any other program that speaks MCP works on your events for you."
        />
        {off.length > 0 ? (
          <Notice tone="warning">Assistants are turned off for {off.map((client) => client.name).join(', ')}.</Notice>
        ) : null}
        <Card>
          <Presets choices={choices} chosen={chosen} />
        </Card>
        <Card title="The address">
          <div class="stack-s">
            <p class="muted">
              {chosen.label}: {counted(chosen.tools)}. Sign-in is by OAuth; there is no key to copy.
            </p>
            <Copy id="address" text={url} />
          </div>
        </Card>
        <Card title="Where to put it">
          {nearestFirst(assistantsFor(url, chosen.slug ? `lanyard-${chosen.slug}` : 'lanyard'), local).map((assistant, i) => (
            <HowTo assistant={assistant} local={local} open={i === 0} />
          ))}
        </Card>
        <Next />
      </>,
    )
  })
}
