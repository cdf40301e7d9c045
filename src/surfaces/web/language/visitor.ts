import { getCookie, setCookie } from 'hono/cookie'
import type { Browser } from '../../../domains/sign-in/sessions.ts'
import { chooseLanguage, readAcceptLanguage } from '../../../kernel/language/choose.ts'
import { LANGUAGES, type Words, wordsIn } from '../../../kernel/language/words.ts'
import type { WebContext } from '../web.ts'

const LANGUAGE_COOKIE = '__Host-lanyard-language'
const YEAR_SECONDS = 365 * 24 * 3600

/** The language of a page: asked for in its address (which is remembered), chosen before, or wanted by the browser; else the first on offer. */
export function languageFor(c: WebContext, offered: readonly string[] = LANGUAGES): string {
  const asked = chooseLanguage([c.req.query('lang') ?? ''], offered)
  if (asked) {
    setCookie(c, LANGUAGE_COOKIE, asked, { path: '/', secure: true, httpOnly: true, sameSite: 'Lax', maxAge: YEAR_SECONDS })
    return asked
  }
  const wanted = [getCookie(c, LANGUAGE_COOKIE) ?? '', ...readAcceptLanguage(c.req.header('accept-language'))]
  return chooseLanguage(wanted, offered) ?? offered[0] ?? 'en'
}

export const wordsFor = (c: WebContext, offered?: readonly string[]): Words => wordsIn(languageFor(c, offered))

/** What is remembered of the browser that somebody signs in with. */
export const browserOf = (c: WebContext): Browser => ({ userAgent: c.req.header('user-agent') ?? '', language: languageFor(c) })
