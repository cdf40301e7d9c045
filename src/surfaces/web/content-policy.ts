import { isEmbedHost } from '../../domains/tenancy/embed-hosts.ts'

interface PolicyOptions {
  /** Allows our own scripts to compile WebAssembly, which the QR code reader needs. `eval` stays forbidden. */
  webAssembly?: boolean
  /** False for a page whose form ends in a redirect to another site, because browsers apply form-action to that redirect too. */
  formAction?: boolean
  /**
   * Hosts that may show the page in a frame: the client's websites, for pages of its events. A page without such hosts cannot be framed.
   */
  framedBy?: readonly string[]
}

const RESOURCE_DIRECTIVES =
  "default-src 'none'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; frame-src 'self'; base-uri 'none'; script-src 'self'"

/** Builds the Content-Security-Policy header of a page. */
export function buildContentSecurityPolicy({ formAction = true, framedBy = [], webAssembly = false }: PolicyOptions = {}): string {
  // A host without a scheme matches the scheme of the page itself and https, so a page served by https can only be framed by https.
  const hosts = framedBy.filter(isEmbedHost)
  return `${RESOURCE_DIRECTIVES}${webAssembly ? " 'wasm-unsafe-eval'" : ''}; frame-ancestors ${hosts.join(' ') || "'none'"}${formAction ? "; form-action 'self'" : ''}`
}

/**
 * The Content-Security-Policy of email content, which is untrusted: it runs no scripts, loads nothing and has an opaque origin, even when
 * its URL is opened directly.
 */
export const EMAIL_CONTENT_SECURITY_POLICY = "sandbox; default-src 'none'; img-src data:; style-src 'unsafe-inline'; frame-ancestors 'self'"
