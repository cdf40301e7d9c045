import { DISCOVERY_PATH } from '../../discovery/discovery.ts'
import { ORGANIZER_PATH } from '../../organizer-mcp/endpoint.ts'
import { ASSETS } from '../assets.ts'
import { Brand } from '../components/layout.tsx'
import { Ask, Copy } from '../components/parts.tsx'

/** The console as it is, at an event of the demo. The size is said, so that nothing moves when it comes. */
export const Picture = () => (
  <figure class="home-picture">
    <picture>
      <source srcset={ASSETS.homeDark} media="(prefers-color-scheme: dark)" />
      <img
        src={ASSETS.homeLight}
        width="1280"
        height="860"
        alt="An event in the console: how many people registered by day, what they paid, and what the draft changes."
      />
    </picture>
    <figcaption>An event of the demo that comes with Lanyard. Its people are made up.</figcaption>
  </figure>
)

export const Steps = ({ baseUrl }: { baseUrl: string }) => (
  <section aria-labelledby="steps">
    <h2 id="steps">Three steps to a working event</h2>
    <p class="muted">One process, one database, nothing else to install. The demo comes with 60 participants to try things on.</p>
    <ol class="home-steps">
      <li>
        <h3>Start it</h3>
        <p>It needs Node 20 and prints where to sign in.</p>
        <Copy id="start" text="npm ci && npm start" block />
      </li>
      <li>
        <h3>Connect your assistant</h3>
        <p>Add this address as a remote MCP server, sign in and agree. There is no key to paste.</p>
        <Copy id="endpoint" text={`${baseUrl}${ORGANIZER_PATH}`} block />
        <p>
          <a href="/docs/connect">Connect, step by step</a>
        </p>
      </li>
      <li>
        <h3>Ask, look, publish</h3>
        <p>Say it in your own words, then look at the draft. Nobody sees it before you publish.</p>
        <Ask id="ask" text="Who registered for the summit since last week, and who has not paid yet?" />
      </li>
    </ol>
  </section>
)

const PROMISES: readonly (readonly [title: string, text: string])[] = [
  ['It can do what you may do, and no more', 'The same events, the same roles, the same limits. An app is disconnected with one click.'],
  ['Every change has a name', 'Who, through which app, and what it was before.'],
  ['What cannot be undone is shown first', 'Refunds, cancellations and mails to many people say what they would do before they do it.'],
  ['Your data stays with you', 'Your computer, your database. No page calls anybody else.'],
]

export const Promises = () => (
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

export const Foot = () => (
  <footer class="home-foot">
    <div>
      <Brand />
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
