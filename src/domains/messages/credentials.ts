/** Every token of ours is a prefix of three letters and 256 bits in base64url. */
const TOKEN = /\bl[a-z]{2}_[A-Za-z0-9_-]{43}/
/** What opens a registration that is not finished is signed instead of stored. */
const SIGNED = /\beyJ[A-Za-z0-9_-]+\.eyJ[A-Za-z0-9_-]+\.[A-Za-z0-9_-]{43}/

interface Body {
  category: string
  text: string
  html: string | null
}

/** Whether the mail itself opens something: a one-time code, or a link with a token such as the one that sets a password. */
export const holdsCredential = ({ category, text, html }: Body): boolean =>
  category === 'signin.code' || [text, html ?? ''].some((body) => TOKEN.test(body) || SIGNED.test(body))
