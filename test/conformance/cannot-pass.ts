const needsBase = 'needs a base IRI; statements have none';
const needsOldMode = 'asks for the rules of JSON-LD 1.0; statements are JSON-LD 1.1';
const needsDirection =
  'asks for an rdfDirection, which is not normative; a direction is reported as not covered';
const library = 'the JSON-LD library fails it: ';

/** Cases of the JSON-LD toRdf suite that cannot pass, and why. One that starts to pass fails the suite. */
export const cannotPass: ReadonlyMap<string, string> = new Map([
  ['#t0017', needsBase],
  ['#te005', needsBase],
  ['#te029', needsBase],
  ['#te051', needsBase],
  ['#te057', needsBase],
  ['#te059', needsBase],
  ['#te089', needsBase],
  ['#tc029', needsOldMode],
  ['#te071', needsOldMode],
  ['#te115', needsOldMode],
  ['#ter21', needsOldMode],
  ['#t0118', 'asks for generalized RDF, with blank nodes as predicates'],
  ['#te075', 'asks for generalized RDF, with blank nodes as predicates'],
  ['#tdi09', needsDirection],
  ['#tdi11', needsDirection],
  ['#te077', 'asks for the option expandContext'],
  ['#tc031', 'its context document is not among the files'],
  ['#ter56', 'its input is not among the files'],
  ['#tc037', `${library}a property-scoped context of an alias of @nest is not applied`],
  ['#te111', `${library}a @vocab that is relative to a @vocab with a path is joined wrongly`],
  ['#ter54', `${library}a value object may have several types there`],
  ['#tli12', `${library}an IRI with angle brackets counts as one there`],
]);
