import { isLoopback } from '../../../kernel/loopback.ts'
import { type Permissions, getPermissionsInAnyScope } from '../../../kernel/permissions.ts'
import { ALL_TOOLSETS } from '../../../toolsets/index.ts'
import { ORGANIZER_MCP_PATH } from '../../organizer-mcp/endpoint.ts'
import { TOOLSET_PRESETS } from '../../organizer-mcp/presets.ts'
import { renderContentPage } from '../components/page.tsx'
import { StatusLabel, Card, CopyableText, Notice } from '../components/parts.tsx'
import type { WebServices } from '../web.ts'
import { type AssistantInstructions, listAssistantInstructions } from './assistants.ts'
import { createConsoleRouter, sendConsolePage } from './frame.tsx'

const PATH = '/console/connect'
/** The highest number of tools that several AI apps support. They silently ignore further tools. */
const COMMON_TOOL_LIMIT = 128

interface PresetChoice {
  slug: string
  label: string
  toolsets: readonly string[]
  tools: number
}

/** Number of tools that a connection with these toolsets lists for these permissions. `list_my_events` is always included. */
function countTools(toolsets: readonly string[], permissions: Permissions): number {
  const names = ALL_TOOLSETS.filter((set) => toolsets.length === 0 || toolsets.includes(set.name)).flatMap((set) =>
    set.tools.filter((tool) => tool.permissions.every((permission) => permissions.has(permission))).map(({ name }) => name),
  )
  return new Set(['list_my_events', ...names]).size
}

/** Lists "Everything" and the presets (named selections of toolsets) with at least one toolset that the user may read. */
function listPresetChoices(permissions: Permissions): PresetChoice[] {
  const jobs = TOOLSET_PRESETS.map(({ name, toolsets }) => ({
    slug: name.replaceAll(' ', '-'),
    label: name[0]!.toUpperCase() + name.slice(1),
    toolsets,
    tools: countTools(toolsets, permissions),
  }))
  return [
    { slug: '', label: 'Everything', toolsets: [], tools: countTools([], permissions) },
    ...jobs.filter(({ toolsets }) => toolsets.some((toolset) => permissions.has(`${toolset}.read`))),
  ]
}

const formatToolCount = (tools: number) => (tools === 1 ? '1 tool' : `${tools} tools`)

const Presets = ({ choices, chosen }: { choices: readonly PresetChoice[]; chosen: PresetChoice }) => (
  <form method="get" action={PATH} class="stack">
    <fieldset>
      <legend class="legend">What should the assistant do?</legend>
      <p class="muted">Assistants work better with fewer tools, and several apps support no more than {COMMON_TOOL_LIMIT}.</p>
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
                {choice.toolsets.length > 0 ? choice.toolsets.join(', ') : 'all toolsets'} · {formatToolCount(choice.tools)}
              </div>
            </div>
          </div>
        ))}
      </div>
    </fieldset>
    <button type="submit" class="button">
      Show address
    </button>
  </form>
)

/** Sorts apps that run on the user's computer first if this installation is on localhost, because hosted apps cannot reach it. */
const localFirst = (assistants: readonly AssistantInstructions[], local: boolean): readonly AssistantInstructions[] =>
  local ? assistants.toSorted((a, b) => Number(a.isHosted ?? false) - Number(b.isHosted ?? false)) : assistants

const HowTo = ({ assistant, local, open }: { assistant: AssistantInstructions; local: boolean; open: boolean }) => (
  <details class="stack-s how-to" open={open}>
    <summary>
      <h3>{assistant.name}</h3>
      {local && assistant.isHosted ? <StatusLabel tone="warning">needs a public address</StatusLabel> : null}
    </summary>
    <p>{assistant.steps}</p>
    {local && assistant.isHosted ? <p class="muted">This app cannot reach localhost. Give this server a public address first.</p> : null}
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
        <CopyableText id={`${assistant.id}-text`} text={assistant.copy.text} block />
      </>
    ) : null}
  </details>
)

const NextSteps = () => (
  <Card title="Next steps">
    <ol class="steps">
      <li>Your assistant opens a page of this site in your browser. Sign in if needed.</li>
      <li>The page shows which app asks for access and what it can do. Choose “Authorize” only if you started this yourself.</li>
      <li>
        Back in the assistant, type: <strong>“List my events”</strong>. It lists the events that you see here.
      </li>
      <li>
        The app is now listed under <a href="/console/account/apps">Connected apps</a>. You can disconnect it there at any time.
      </li>
    </ol>
    <p class="muted">
      The assistant acts in your name, with your permissions only. All its changes are in the <a href="/console/audit">audit log</a> under
      your name and the name of the app.
    </p>
  </Card>
)

/** `/console/connect`: how to connect an assistant. */
export function assistantConnectionPages(web: WebServices) {
  const { baseUrl } = web.services
  const local = isLoopback(new URL(baseUrl).hostname)
  return createConsoleRouter(web).get(PATH, (c) => {
    const choices = listPresetChoices(getPermissionsInAnyScope(c.get('session').access))
    const chosen = choices.find((choice) => choice.slug === c.req.query('preset')) ?? choices[0]!
    const url = `${baseUrl}${ORGANIZER_MCP_PATH}${chosen.toolsets.length > 0 ? `?toolsets=${chosen.toolsets.join(',')}` : ''}`
    const off = c.get('session').access.clients.filter((client) => !client.aiAssistantsAllowed)
    const page = renderContentPage(
      { title: 'Connect an assistant', text: 'Manage your events with Claude, ChatGPT, Copilot or any other MCP client.' },
      <>
        {off.length > 0 ? (
          <Notice tone="warning">Assistants are turned off for {off.map((client) => client.name).join(', ')}.</Notice>
        ) : null}
        <Card>
          <Presets choices={choices} chosen={chosen} />
        </Card>
        <Card title="Server address">
          <div class="stack-s">
            <p class="muted">
              {chosen.label}: {formatToolCount(chosen.tools)}. You sign in with OAuth, so there is no key to copy.
            </p>
            <CopyableText id="address" text={url} />
          </div>
        </Card>
        <Card title="Set up your assistant">
          {localFirst(listAssistantInstructions(url, chosen.slug ? `lanyard-${chosen.slug}` : 'lanyard'), local).map((assistant, i) => (
            <HowTo assistant={assistant} local={local} open={i === 0} />
          ))}
        </Card>
        <NextSteps />
      </>,
    )
    return sendConsolePage(web, c, { current: PATH }, page)
  })
}
