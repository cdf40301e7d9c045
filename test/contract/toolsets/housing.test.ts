import { describeContract } from '../contract.ts'

describeContract('housing')
