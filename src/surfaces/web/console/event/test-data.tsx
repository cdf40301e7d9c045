import type { WebContext } from '../../web.ts'

/** Whether test data counts too, as the address says. */
export const withTestData = (c: WebContext): boolean => c.req.query('test') === 'yes'

/** Between what is real and what is real or made up: two links, so that either can be sent to a colleague. */
export const TestDataSwitch = ({ test, here }: { test: boolean; here: string }) => (
  <nav class="switch" aria-label="Test data">
    <a href={here} aria-current={test ? undefined : 'true'}>
      Real
    </a>
    <a href={`${here}?test=yes`} aria-current={test ? 'true' : undefined}>
      With test data
    </a>
  </nav>
)
