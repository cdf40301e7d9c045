import { isLoopback } from '../../../kernel/loopback.ts'
import { TOOLSETS_IN_ORDER } from '../../../toolsets/index.ts'
import { ORGANIZER_PATH } from '../../organizer-mcp/endpoint.ts'
import { PRESETS } from '../../organizer-mcp/presets.ts'
import { Heading } from '../components/layout.tsx'
import { Card, Copy, Notice } from '../components/parts.tsx'
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

/** What a connection of these toolsets lists; the tool to begin with is always there. */
function toolsIn(toolsets: readonly string[]): number {
  const names = TOOLSETS_IN_ORDER.filter((set) => toolsets.length === 0 || toolsets.includes(set.name)).flatMap((set) =>
    set.tools.map((tool) => tool.name),
  )
  return new Set(['list_my_events', ...names]).size
}

const CHOICES: readonly Choice[] = [
  { slug: '', label: 'Everything', toolsets: [], tools: toolsIn([]) },
  ...PRESETS.map(({ name, toolsets }) => ({
    slug: name.replaceAll(' ', '-'),
    label: name[0]!.toUpperCase() + name.slice(1),
    toolsets,
    tools: toolsIn(toolsets),
  })),
]

const counted = (tools: number) => (tools === 1 ? '1 tool' : `${tools} tools`)

const Presets = ({ chosen }: { chosen: Choice }) => (
  <form method="get" action={PATH} class="stack">
    <fieldset>
      <legend class="legend">What should it work on?</legend>
      <p class="muted">
        One job at a time is best: assistants choose better among fewer tools, and several programs stop at {COMMON_LIMIT}.
      </p>
      <div class="options">
        {CHOICES.map((choice) => (
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

const HowTo = ({ assistant, local, open }: { assistant: Assistant; local: boolean; open: boolean }) => (
  <details class="stack-s how-to" open={open}>
    <summary>
      <h3>{assistant.name}</h3>
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
    const chosen = CHOICES.find((choice) => choice.slug === c.req.query('preset')) ?? CHOICES[0]!
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
          <Presets chosen={chosen} />
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
          {assistantsFor(url, chosen.slug ? `lanyard-${chosen.slug}` : 'lanyard').map((assistant, i) => (
            <HowTo assistant={assistant} local={local} open={i === 0} />
          ))}
        </Card>
        <Next />
      </>,
    )
  })
}
