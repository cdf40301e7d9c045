/** Matches tokens that Lanyard issues: a three-letter prefix and 256 bits in base64url. */
const TOKEN_PATTERN = /\bl[a-z]{2}_[A-Za-z0-9_-]{43}/
/** Matches the signed tokens in links to unfinished registrations. */
const SIGNED_TOKEN_PATTERN = /\beyJ[A-Za-z0-9_-]+\.eyJ[A-Za-z0-9_-]+\.[A-Za-z0-9_-]{43}/

interface Body {
  category: string
  text: string
  html: string | null
}

/** Whether an email contains a credential: a one-time code or a link with a token, such as a password reset. */
export const containsCredential = ({ category, text, html }: Body): boolean =>
  category === 'signin.code' || [text, html ?? ''].some((body) => TOKEN_PATTERN.test(body) || SIGNED_TOKEN_PATTERN.test(body))
