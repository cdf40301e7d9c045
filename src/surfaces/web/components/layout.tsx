import { html, raw } from 'hono/html'
import type { Child } from 'hono/jsx'
import { type Translator, translatorFor } from '../../../kernel/language/translator.ts'
import { ASSETS } from '../assets.ts'

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

export const Brand = ({ href = '/' }: { href?: string }) => (
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

const ENGLISH = translatorFor('en')

/** The HTML document of every page. Hono writes no doctype, without which browsers use quirks mode. */
export const htmlDocument = (
  title: string,
  body: Child,
  { words = ENGLISH, theme, styles = ASSETS.styles, site = 'Lanyard', head = '' }: DocumentOptions = {},
) =>
  html`<!doctype html>
    <html lang="${words.locale}" dir="${words.direction}">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${title === site ? title : `${title} · ${site}`}</title>
        <link rel="preload" href="${ASSETS.font}" as="font" type="font/woff2" crossorigin="anonymous" />
        <link rel="stylesheet" href="${styles}" />
        ${theme ? html`<link rel="stylesheet" href="${theme}" />` : ''}
        <link
          rel="icon"
          href="data:image/svg+xml,${raw(encodeURIComponent('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24" fill="none" stroke="#2f54d6" stroke-width="2"><path d="M7 2l5 7 5-7"/><rect x="5" y="9" width="14" height="13" rx="3"/></svg>'))}"
        />
        ${head}
        <script src="${ASSETS.script}" defer></script>
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
        <Brand />
      </header>
      <main id="main">{children}</main>
      {foot ? <footer>{foot}</footer> : null}
    </div>
  </div>
)

export interface NavItem {
  href: string
  label: string
  current?: boolean
  /** Whether the entry is shown indented, as a part of the entry above. */
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

/** The console's layout: navigation at the side, content beside it. On phones the navigation folds behind a button, without scripts too. */
export const ConsoleLayout = ({ nav, event, lead, who, children }: ConsoleLayoutProps) => (
  <div class="shell">
    <header>
      <Brand href="/console" />
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
  /** Links to the parent pages of this page. */
  crumbs?: readonly { href: string; label: string }[] | undefined
  children?: Child
}

const EVENT_PATH = /^\/console\/events\/[^/]+\/[^/]+$/

export const Heading = ({ title, text, crumbs, children }: HeadingProps) => (
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
      <h1>
        <bdi>{title}</bdi>
      </h1>
      {text ? <p>{text}</p> : null}
    </div>
    {children ? <div class="row">{children}</div> : null}
  </div>
)
