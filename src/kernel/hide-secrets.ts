const SECRETS: readonly (readonly [pattern: RegExp, replacement: string])[] = [
  // Matches tokens of this service, such as `lak_…`. Their prefix is kept, because it shows the purpose of the token.
  [/\b(l[a-z]{2}_)[\w-]{20,}/g, '$1…'],
  // Matches API keys of Stripe, and secrets of webhooks.
  [/\b((?:sk|rk|pk)_(?:live|test)_|whsec_)[\w+/=-]{8,}/g, '$1…'],
  // Matches the user name and password in a URL, as in DATABASE_URL and SMTP_URL.
  [/(\b[a-z][a-z0-9+.-]*:\/\/)[^\s/?#@]*:[^\s/?#]*@/gi, '$1…@'],
  [/\b(authorization:\s*|bearer\s+|basic\s+)[\w.~+/=-]{12,}/gi, '$1…'],
  [/([?&](?:token|code|key|secret|password|signature)=)[^&\s]+/gi, '$1…'],
]

/** Replaces values in an error message that look like a credential. Errors of other programs may quote an address or a header. */
export const hideSecrets = (text: string): string => SECRETS.reduce((shown, [pattern, to]) => shown.replace(pattern, to), text)
