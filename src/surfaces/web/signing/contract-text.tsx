import { formatHashInGroups } from '../../../domains/signing/documents.ts'
import { Card } from '../components/parts.tsx'
import type { SigningPageContext } from './signing-site.tsx'

/** The text of the contract, with its PDF and fingerprint. */
export const ContractText = ({ at }: { at: SigningPageContext }) => {
  const { say } = at.site.words
  const { title, lines, clauses } = at.view.document!
  return (
    <Card
      title={say('sign.contract')}
      actions={
        <a class="button small" href={`${at.home}/contract.pdf`}>
          PDF
        </a>
      }
    >
      <div class="stack">
        <div class="paper" tabindex={0} role="region" aria-label={say('sign.text')} lang="en">
          <h3>{title}</h3>
          {lines.map((line) => (
            <p>{line}</p>
          ))}
          {clauses.map(({ heading, text }) => (
            <>
              <h3>{heading}</h3>
              {text.split('\n').map((line) => (
                <p>{line}</p>
              ))}
            </>
          ))}
        </div>
        <details>
          <summary>{say('sign.hash')}</summary>
          <p class="small muted">{say('sign.hashText')}</p>
          <p class="hash">{formatHashInGroups(at.view.envelope.version_sha256)}</p>
        </details>
      </div>
    </Card>
  )
}
