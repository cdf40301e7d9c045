import { html, raw } from 'hono/html'
import type { Child } from 'hono/jsx'
import { type Translator, chooseTranslator } from '../../../kernel/language/translator.ts'
import { ASSET_PATHS } from '../assets.ts'

export const LogoMark = () => (
  <svg
    width="24"
    height="24"
    viewBox="0 0 24 24"
    fill="none"
    stroke="currentColor"
    stroke-width="2"
    stroke-linecap="round"
    stroke-linejoin="round"
    aria-hidden="true"
  >
    <path d="M7 2l5 7 5-7" />
    <rect x="5" y="9" width="14" height="13" rx="3" />
    <path d="M10 9V7.5h4V9" />
    <path d="M9 17.5h6" />
    <circle cx="12" cy="13.5" r="1.2" />
  </svg>
)

export const ProductHomeLink = ({ href = '/' }: { href?: string }) => (
  <a class="brand" href={href}>
    <LogoMark />
    Lanyard
  </a>
)

interface DocumentOptions {
  /** The texts of the page: English for organizers, the participant's language on event pages. */
  words?: Translator
  /** Path of the event's theme stylesheet. */
  theme?: string
  styles?: string
  /** Name of the site in the page title. */
  site?: string
  /** Metadata for link previews and search engines. */
  head?: Child
}

const ENGLISH = chooseTranslator('en')

/** The HTML document of every page. Hono writes no doctype, without which browsers use quirks mode. */
export const renderHtmlDocument = (
  title: string,
  body: Child,
  { words = ENGLISH, theme, styles = ASSET_PATHS.styles, site = 'Lanyard', head = '' }: DocumentOptions = {},
) =>
  html`<!doctype html>
    <html lang="${words.locale}" dir="${words.direction}">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${title === site ? title : `${title} · ${site}`}</title>
        <link rel="preload" href="${ASSET_PATHS.font}" as="font" type="font/woff2" crossorigin="anonymous" />
        <link rel="stylesheet" href="${styles}" />
        ${theme ? html`<link rel="stylesheet" href="${theme}" />` : ''}
        <link
          rel="icon"
          href="data:image/svg+xml,${raw(encodeURIComponent('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24" fill="none" stroke="#2f54d6" stroke-width="2"><path d="M7 2l5 7 5-7"/><rect x="5" y="9" width="14" height="13" rx="3"/></svg>'))}"
        />
        ${head}
        <script src="${ASSET_PATHS.script}" defer></script>
      </head>
      <body>
        <a class="skip" href="#main">${words.say('page.skip')}</a>
        ${body}
      </body>
    </html>`

/** A page with one centred card: sign-in, consent, an error. */
export const CenteredCardLayout = ({ children, foot }: { children: Child; foot?: Child }) => (
  <div class="focus-page">
    <div>
      <header>
        <ProductHomeLink />
      </header>
      <main id="main">{children}</main>
      {foot ? <footer>{foot}</footer> : null}
    </div>
  </div>
)

/** Icons of the navigation, drawn on 16 by 16 units. */
const NAV_ICONS = {
  overview: 'M2.5 2.5h4.5v4.5H2.5zM9 2.5h4.5v4.5H9zM2.5 9h4.5v4.5H2.5zM9 9h4.5v4.5H9z',
  draft: 'M3 13h2.5l7-7L10 3.5l-7 7zM8.5 5L11 7.5',
  people:
    'M6 7.5a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5zM1.5 13.5c0-2.5 2-4 4.5-4s4.5 1.5 4.5 4M10.5 2.8a2.5 2.5 0 0 1 0 4.4M12 9.8c1.6.5 2.5 1.8 2.5 3.7',
  money: 'M1.5 4h13v8h-13zM8 9.8a1.8 1.8 0 1 0 0-3.6 1.8 1.8 0 0 0 0 3.6zM4 8h.1M12 8h.1',
  program: 'M2.5 3.5h11v10h-11zM2.5 6.5h11M5.5 2v3M10.5 2v3M5 9h3M5 11.5h6',
  exhibitors: 'M2.5 7v6.5h11V7M1.5 6.5l1.5-4h10l1.5 4zM6.5 13.5V10h3v3.5',
  housing: 'M1.5 3.5v10M1.5 11.5h13v2M14.5 11.5V9a1.5 1.5 0 0 0-1.5-1.5H7v4M4.2 8.8a1.2 1.2 0 1 0 0-2.4 1.2 1.2 0 0 0 0 2.4z',
  sourcing: 'M3.5 2h9v12h-9zM6 5.5h4M6 8h4M6 10.5h2.5',
  emails: 'M1.5 3.5h13v9h-13zM1.5 4.5L8 9l6.5-4.5',
  onsite: 'M3.5 5h9v9h-9zM6 5V2h4v3M6.2 11.5c.3-1 1-1.5 1.8-1.5s1.5.5 1.8 1.5M8 9a1 1 0 1 0 0-2 1 1 0 0 0 0 2z',
  reports: 'M2 14h12M4 11.5V8M8 11.5V3M12 11.5V6',
}

export type NavIcon = keyof typeof NAV_ICONS

export interface NavItem {
  href: string
  label: string
  icon?: NavIcon
  current?: boolean
  /** Whether the navigation entry is indented, as a part of the entry above. */
  nested?: boolean
}

export interface NavGroup {
  title: string
  items: NavItem[]
  /** Whether the title is hidden and only read by screen readers. */
  untitled?: boolean
}

interface ConsoleLayoutProps {
  nav: NavGroup[]
  /** The event of the page, which the header names on phones. */
  event?: { href: string; name: string } | undefined
  /** Content above the navigation. */
  lead?: Child
  who?: Child
  children: Child
}

/** The console's layout: navigation at the side, content beside it. On phones a button opens the navigation, also without scripts. */
export const ConsoleLayout = ({ nav, event, lead, who, children }: ConsoleLayoutProps) => (
  <div class="shell">
    <header>
      <ProductHomeLink href="/console" />
      {event ? (
        <a class="brand at-event" href={event.href}>
          <LogoMark />
          <bdi>{event.name}</bdi>
        </a>
      ) : null}
      <details class="menu">
        <summary>Menu</summary>
        <nav aria-label="Main">
          {lead}
          {nav.map((group) => (
            <div>
              {group.untitled ? null : (
                <p class="group" aria-hidden="true">
                  <bdi>{group.title}</bdi>
                </p>
              )}
              <ul class="nav-list" aria-label={group.title}>
                {group.items.map((item) => (
                  <li>
                    <a href={item.href} class={item.nested ? 'nested' : undefined} aria-current={item.current ? 'page' : undefined}>
                      {item.icon ? (
                        <svg class="icon" viewBox="0 0 16 16" aria-hidden="true">
                          <path d={NAV_ICONS[item.icon]} />
                        </svg>
                      ) : null}
                      {item.label}
                    </a>
                  </li>
                ))}
              </ul>
            </div>
          ))}
        </nav>
        {who ? <div class="who">{who}</div> : null}
      </details>
    </header>
    <main id="main">{children}</main>
  </div>
)

export interface HeadingProps {
  title: string
  text?: Child
  /** The status badge of the page's record, beside the title. */
  badge?: Child
  /** Links to the parent pages of this page. */
  crumbs?: readonly { href: string; label: string }[] | undefined
  children?: Child
}

const EVENT_PATH = /^\/console\/events\/[^/]+\/[^/]+$/

export const Heading = ({ title, text, badge, crumbs, children }: HeadingProps) => (
  <div class="heading">
    <div>
      {crumbs?.length ? (
        <p class="crumbs">
          {crumbs.map((crumb, index) => (
            <>
              {index === 0 ? null : ' / '}
              <a href={crumb.href} class={EVENT_PATH.test(crumb.href) ? 'event-crumb' : undefined}>
                <bdi>{crumb.label}</bdi>
              </a>
            </>
          ))}
        </p>
      ) : null}
      {badge ? (
        <div class="title">
          <h1 dir="auto">{title}</h1>
          {badge}
        </div>
      ) : (
        <h1>
          <bdi>{title}</bdi>
        </h1>
      )}
      {text ? <p>{text}</p> : null}
    </div>
    {children ? <div class="row">{children}</div> : null}
  </div>
)
