import type { Language } from '../language.ts';

export const english: Language = {
  signals: {
    rule: `never|always|must|have to|has to|do not|not allowed|from now on|going forward|make sure|off limits|hands off
      |forbidden|mandatory|is required|ask me|without asking|unless you|may only|may not|keep in mind|remember to
      |stop using|avoid|refrain from|be careful|whenever|should only|before every|before any|after each|for every
      |treat .. as|it is important|only use|we can not|strictly|as of now|under no|restricted|read-only|only the
      |regardless|stay away from|not supposed to|only ever|leave .. alone|every time`,
    correction: `^no ,|^nope|^wrong|^not quite|is wrong|incorrect|not what i|misunderst*|misread|i meant|i asked for|i said
      |i told you|supposed to|undo|put .. back|scratch that|mixed up|confusing|the other way|you forgot|it should be
      |the wrong|^hold on|^wait|sorry ,|and not|but not|that is not|is not the|should stay|not right|that is wrong
      |my mistake`,
    preference: `prefer*|would rather|i would like|i like|i hate|favour*|favor*|ideally|if possible|in doubt|i want|we want
      |would be nice|nicer|we usually|please use|keep it|, please|do not want|i tend to|would be better
      |given the choice`,
    decision: `decid*|decision|going with|go with|went with|go for|opt for|chose|choose|picked|settled|settle on|sticking with
      |sticking to|stick with|stick to|rather than|instead of|instead ,|, instead|in favour of|in favor of|plan :
      |we will|i will use|i will keep|i will leave|let's make|let's do|switch to|switched to|moved to|moving to|kept
      |cleanest|simplest|trade-off|tradeoff|so i will|abandon*|scrap*|ruled out|recommend*|on purpose|deliberate*
      |intentional*|i left|i made|i am leaving|i am using|replaced .. with|replace .. with|dropped|dropping
      |the approach|approach :|verdict|ended up|easier to|wins over|we take|ruling .. out|resolved to|replaces
      |stop using|leaving .. as|commit to|committed to|to stay|propose*|source of truth|i replaced|i am putting
      |my mind|separate pr|we keep|we use|throw .. out`,
    cause: `because|cause|caused by|causes|causing|turns out|turned out|explains|is why|why it|due to|culprit|stems from
      |comes from|come from|coming from|comes down to|boils down to|traced|the issue is|issue :|the problem is
      |problem :|bug :|hence|therefore|thus|consequence of|underlying|found it|figured out|real issue|triggered by
      |happens when|a race|race condition|is never|overwrit*|collid*|mismatch*|which means|given that|so that is
      |off-by-one|that is where|whenever|so the|so it|so they|, as it|, as we|since the|since it|since we|since they
      |lacks|strips|swallow*|changed the|the bug|why :|disagree*|is shared|bug in|diagnos*|the reason`,
    failed: `not work|no luck|dead end|revert*|rolled back|backed out|gave up|give up|giving up|still fail*|same error|broke
      |breaks|broken|tried|not help|no effect|worse|could not|unable to|timed out|hangs|not an option|unsupported
      |no way around|without success|no difference|not compile|not build|not fix|not solve|neither .. nor|stuck|no go
      |nowhere|useless|inconclusive|off the table|out of memory|does not exist|has no|ineffective|discarded|not change
      |can not get|fails with|aborted|abandoned|crash*|not possible|impossible|does not support|not supported
      |still not|pointless|unusable|no improvement`,
    finding: `note that|note :|note to self|insight|interesting|measured|on average|found that|discovered|learned|confirmed
      |confirms|verified that|indicates|is set to|defaults to|the default|lives in|points to|belongs to|depends on
      |gotcha|caveat|lesson|answer :|result :|there is no|there are no|not used by|is actually|are actually
      |the difference|read-only|down from|faster|limited to|limit is|is the only|only the|deprecated|renamed|observed
      |proves|suggests|is ignored|already has|already in|already have|, not|it is .. not|rely on|duplicates|overrides
      |slower than|versus|has no|without a|id :|is valid|only works|is stored|are stored|is configured|listens on
      |maps to`,
    fact: `by the way|btw|fyi|my name|the customer|account number|order number|deadline|the password|address :|in charge
      |contact|lives in|our|is .. by|phone number|based in|works for|owned by`,
    open: `still need*|still have to|todo|fixme|come back|revisit*|for now|for the time being|stubbed|stubs|not yet
      |not .. yet|yet to|next step*|next up|what remains|for later|later on|follow-up|postpone*|defer*|parked
      |blocked on|blocked until|waiting for|waiting on|unresolved|open question*|temporar*|placeholder|hardcoded
      |not implemented|no-op|remains to|unfinished|not done|wip|to be done|will need to|untested|not tested|unclear
      |not sure|somebody should|someone has to|eventually|once the|once .. is|once .. are|until the|until .. is
      |after the release|after the merge|before this|at some point|workaround|commented out|have yet|is next
      |at present|not touched|untouched|needs a|need to fix|remaining|pending|still missing|on hold|unanswered
      |not looked at`,
  },
  hints: `only|should|need to|needs to|ensure|without|keep|stay|stays|require*|every|please|except|at least|by default
    |allowed|policy|convention|approval|permission|critical|strict*|each time|go through|crucial|essential|actually
    |not .. but|^but|wrong|instead|rather|mistake|^no|should be|^not|clarif*|mislead*|better|i think|i would|easier
    |like|want|maybe|more|cleaner|than|will|approach|option*|plan|over|keeping|replac*|split|strategy|design
    |solution|simpler|safer|enough|so|choice|for the|reuse|suggested|agreed|since|trigger*|conflict*|missing|problem
    |issue|bug|why|when|race|leak*|unless|expects|assum*|means|prevent*|skips|ignores|limited|stale|happened|reason
    |before .. is|until|twice|silently|falls back to|fall back to|fails|failed|failing|failure|error*|try|trying
    |crash*|timeout|but|however|exception|lost|panic*|regress*|either|flak*|too|attempt*|will not|does not|did not
    |is not|are not|was not|rejected|can not|cancel*|actual|probably|likely|already|currently|seems|appears|shows
    |found|real|exactly|benchmark*|measur*|evidence|baseline|average|significant*|up to|between|each|while|although
    |though|newer|older|same|around|about|exists|the answer|is called|according to|the docs|my|their|called|number
    |version|i have|starts|we have|later|yet|next|remain*|need*|wait*|skip*|open|question|incomplete|investigate
    |disabled|still|pending|someone|once|blocked|so far|partially|the correct`,
  verbs: `is|are|was|were|has|have|had|takes|took|returns|returned|uses|used|contains|lives|expects|requires|needs
    |supports|goes|go|runs|run|stores|reads|writes|sends|receives|accepts|rejects|shares|exists|does|did|costs|gets
    |keeps|holds|owns|handles|maps|comes|counts|starts|ends|stays|works|matches|ignores|covers|adds|drops|makes|made
    |gives|calls|fires|hits|carries|reports|lacks|wants|breaks|stops|removes|trust|carry|accept|return|will|would
    |can|may|should|must|just|also|use|need|take|contain|live|expect|depends|fail|fails|wins|lost|replaces|blocks
    |says|means|sets`,
  progress: `^let me|, let me|: let me|now let me|^let's|^i will|^i am|^i have|^i need to|^i should|^i want to|^i can
    |^i would|^i see|^i also|^we can|^now|^first ,|^first i|^next|^then i|^running|^checking|^looking|^adding
    |^starting|^continuing|^opening|^writing|^here is|^here are|^done|^all tests|^tests|^great|^perfect|^good
    |^excellent|^ok|^okay|^sure|^yes|^just a|^if you|^would you|^ready|^thought :|^step|^added|^updated|^created
    |^implemented|^removed|^committed|^pushed|^summary|i will now|all green|tests pass|tests passed|is clean
    |is green|are green|as expected|is complete|is done|successfully|what changed|files changed|anything else
    |can help|is ready|is running|in parallel|now have|i will check|i will run|i am checking|i am running
    |i am waiting|still running|one moment|^waiting for the|^searching`,
  smallTalk: `ok|okay|thanks|yes|yep|yeah|sure|great|perfect|good|go on|go ahead|continue|proceed|do it|next|hello|got it
    |i see|right|exactly|correct|please|ready|done|fine|hmm`,
  abbreviations: 'e.g|i.e|etc|vs|approx|mr|mrs|dr|no|fig|inc|st',
};
