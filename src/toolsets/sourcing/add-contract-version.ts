import { id, list, oneOf, text } from '../../kernel/args.ts'
import { eventTool } from '../../kernel/tool.ts'
import { readContractFile } from '../../domains/supplier-contracts/files.ts'
import { requireClausesOrFile } from '../../domains/supplier-contracts/redlines.ts'
import {
  ChangedContractShape,
  clauseEditsArgument,
  ClauseResult,
  ClauseDifferenceShape,
  expectedVersionArgument,
  TextOutsideClausesShape,
  ContractVersionShape,
} from '../../domains/supplier-contracts/shapes.ts'
import { addContractVersion } from '../../domains/supplier-contracts/versions.ts'

export default eventTool({
  name: 'add_contract_version',
  title: 'Upload our next draft or version of a contract',
  description:
    'Save our next draft of a contract (agreement) with reworked wording: edit, add or remove clauses, fill in values such as commitPercent, or upload a Word, PDF or text file. Opens revised clauses; refused once ready to sign. To answer redlines use propose_contract_counter. Returns the version and its differences.',
  effect: 'change',
  permission: 'sourcing.write',
  keyed: true,
  dryRun: true,
  input: {
    contractId: id('contract'),
    clauses: clauseEditsArgument().optional(),
    fileId: id('file').optional(),
    by: oneOf(['us', 'supplier']).default('us'),
    note: text(2000).optional(),
    ifVersion: expectedVersionArgument(),
  },
  output: {
    contract: ChangedContractShape,
    version: ContractVersionShape,
    diff: list(ClauseDifferenceShape),
    changed: list(ClauseResult),
    unplaced: list(TextOutsideClausesShape),
  },
  prefetch: (ctx, input) => {
    requireClausesOrFile(input)
    return input.fileId === undefined ? Promise.resolve(null) : readContractFile(ctx, input.fileId)
  },
  run: addContractVersion,
})
