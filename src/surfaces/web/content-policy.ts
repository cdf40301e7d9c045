import { isEmbedHost } from '../../domains/tenancy/embed-hosts.ts'

interface Page {
  /** Whether its scripts, which are ours, may compile programs: as a reader of codes is one. Text is never run, there either. */
  webAssembly?: boolean
  /** Left out where a form ends in a redirect to another site, because browsers apply the rule to that redirect too. */
  formAction?: boolean
  /** Websites that may show the page in a frame: those of the client, for the pages of its events. Nobody may frame any other page. */
  framedBy?: readonly string[]
}

const LOADS =
  "default-src 'none'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; frame-src 'self'; base-uri 'none'; script-src 'self'"

/** What a page may load, where its forms may go and who may frame it. */
export function contentPolicy({ formAction = true, framedBy = [], webAssembly = false }: Page = {}): string {
  // A host without a scheme means that of the page itself or https: a page that came by https is framed by https alone.
  const hosts = framedBy.filter(isEmbedHost)
  return `${LOADS}${webAssembly ? " 'wasm-unsafe-eval'" : ''}; frame-ancestors ${hosts.join(' ') || "'none'"}${formAction ? "; form-action 'self'" : ''}`
}

/** What others wrote runs nothing, loads nothing and is of no origin, also when its address is opened by itself. */
export const MAIL_POLICY = "sandbox; default-src 'none'; img-src data:; style-src 'unsafe-inline'; frame-ancestors 'self'"
