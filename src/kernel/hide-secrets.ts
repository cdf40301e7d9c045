const SECRETS: readonly (readonly [pattern: RegExp, replacement: string])[] = [
  // Tokens of this service, such as `lak_…`, keep the prefix that shows their purpose.
  [/\b(l[a-z]{2}_)[\w-]{20,}/g, '$1…'],
  // Secrets of Stripe and of webhooks.
  [/\b((?:sk|rk|pk)_(?:live|test)_|whsec_)[\w+/=-]{8,}/g, '$1…'],
  // The user name and password of a URL, as in DATABASE_URL and SMTP_URL.
  [/(\b[a-z][a-z0-9+.-]*:\/\/)[^\s/?#@]*:[^\s/?#]*@/gi, '$1…@'],
  [/\b(authorization:\s*|bearer\s+|basic\s+)[\w.~+/=-]{12,}/gi, '$1…'],
  [/([?&](?:token|code|key|secret|password|signature)=)[^&\s]+/gi, '$1…'],
]

/** Replaces values in an error message that look like a credential. Errors of other programs may quote an address or a header. */
export const hideSecrets = (text: string): string => SECRETS.reduce((shown, [pattern, to]) => shown.replace(pattern, to), text)
