import { DISCOVERY_PATH } from '../../discovery/discovery.ts'
import { ORGANIZER_MCP_PATH } from '../../organizer-mcp/endpoint.ts'
import { ASSET_PATHS } from '../assets.ts'
import { ProductHomeLink } from '../components/layout.tsx'
import { AssistantPrompt, CopyableText } from '../components/parts.tsx'

/** A screenshot of the console with the demo event. The fixed size prevents layout shifts while it loads. */
export const Screenshot = () => (
  <figure class="home-picture">
    <picture>
      <source srcset={ASSET_PATHS.homeDark} media="(prefers-color-scheme: dark)" />
      <img
        src={ASSET_PATHS.homeLight}
        width="1280"
        height="860"
        alt="An event in the console: registrations per day, payments, and the changes in the draft."
      />
    </picture>
    <figcaption>An event of the demo that comes with Lanyard. All names are fictional.</figcaption>
  </figure>
)

export const InstallationSteps = ({ baseUrl }: { baseUrl: string }) => (
  <section aria-labelledby="steps">
    <h2 id="steps">Three steps to a working event</h2>
    <p class="muted">One process, one database, nothing else to install. The demo includes 60 participants to try things out.</p>
    <ol class="home-steps">
      <li>
        <h3>Start it</h3>
        <p>Needs Node 20. The terminal shows where to sign in.</p>
        <CopyableText id="start" text="npm ci && npm start" block />
      </li>
      <li>
        <h3>Connect your assistant</h3>
        <p>Add this address as a remote MCP server, sign in and authorize it. There is no key to paste.</p>
        <CopyableText id="endpoint" text={`${baseUrl}${ORGANIZER_MCP_PATH}`} block />
        <p>
          <a href="/docs/connect">How to connect, step by step</a>
        </p>
      </li>
      <li>
        <h3>Ask, review, publish</h3>
        <p>Say what you need in your own words, then review the draft. It stays private until you publish.</p>
        <AssistantPrompt id="ask" text="Who registered for the summit since last week, and who has not paid yet?" introduced={false} />
      </li>
    </ol>
  </section>
)

const PROMISES: readonly (readonly [title: string, text: string])[] = [
  ['Your permissions apply', 'The same events, the same roles, the same limits. Disconnect an app with one click.'],
  ['Every change is recorded', 'Who made it, through which app, and what it was before.'],
  ['Irreversible actions are previewed', 'Refunds, cancellations and bulk emails show their effect before they run.'],
  ['Your data stays with you', 'Your server, your database. No page loads anything from other sites.'],
]

export const HomePageGuarantees = () => (
  <section aria-labelledby="promises">
    <h2 id="promises" class="hidden">
      What you can rely on
    </h2>
    <dl class="home-promises">
      {PROMISES.map(([title, text]) => (
        <div>
          <dt>{title}</dt>
          <dd>{text}</dd>
        </div>
      ))}
    </dl>
  </section>
)

const LINKS: readonly (readonly [title: string, links: readonly (readonly [href: string, label: string])[]])[] = [
  [
    'Organizers',
    [
      ['/docs/connect', 'Connect an assistant'],
      ['/console', 'Console'],
      ['/docs', 'Documentation'],
    ],
  ],
  [
    'Developers',
    [
      ['/docs/tools', 'All tools'],
      ['/docs/api', 'API reference'],
      ['/docs/participants', 'Assistants for participants'],
      [DISCOVERY_PATH, 'Discovery document'],
    ],
  ],
  [
    'Operators',
    [
      ['/docs/operating', 'Run it yourself'],
      ['/docs/changelog', 'Changelog'],
      ['/readyz', 'Status of this service'],
    ],
  ],
]

export const HomeFooter = () => (
  <footer class="home-foot">
    <div>
      <ProductHomeLink />
      <p>
        Open event management that assistants drive. <a href="https://www.apache.org/licenses/LICENSE-2.0">Apache License 2.0</a>.
      </p>
    </div>
    {LINKS.map(([title, links]) => (
      <nav aria-label={title}>
        <p class="group" aria-hidden="true">
          {title}
        </p>
        <ul>
          {links.map(([href, label]) => (
            <li>
              <a href={href}>{label}</a>
            </li>
          ))}
        </ul>
      </nav>
    ))}
  </footer>
)
