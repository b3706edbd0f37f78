import type { Language } from '../language.ts';

export const english: Language = {
  signals: {
    rule: `never|always|must|have to|has to|do not|not allowed|from now on|going forward|make sure|off limits|hands off
      |forbidden|mandatory|is required|ask me|without asking|unless you|may only|may not|keep in mind|remember to
      |stop using|avoid|refrain from|be careful|whenever|should only|before every|before any|after each|for every
      |treat .. as|it is important|only use|we can not|strictly|as of now|under no|restricted|read-only|only the
      |regardless|stay away from|not supposed to|only ever|leave .. alone|every time`,
    correction: `i was talking about|i am talking about|i was referring|you changed
      |^no ,|^nope|^wrong|^not quite|is wrong|incorrect|not what i|misunderst*|misread|i meant|i asked for
      |i said|i told you|supposed to|undo|put .. back|scratch that|mixed up|confusing|the other way|you forgot
      |it should be|the wrong|^hold on|^wait|sorry ,|and not|but not|that is not|is not the|should stay|not right
      |my mistake`,
    preference: `more of a|for my taste|not a fan|a fan of|too noisy|too verbose
      |prefer*|would rather|i would like|i like|i hate|favour*|favor*|ideally|if possible|in doubt|i want|we want
      |would be nice|nicer|we usually|please use|keep it|, please|do not want|i tend to|would be better
      |given the choice`,
    decision: `switched .. to|moved .. to|migrated .. to
      |out of the picture|decid*|decision|going with|go with|went with|go for|opt for|chose|choose|picked|settled|settle on|sticking with
      |sticking to|stick with|stick to|rather than|instead of|instead ,|, instead|in favour of|in favor of|plan :
      |we will|i will use|i will keep|i will leave|let's make|let's do|switch to|switched to|moved to|moving to|kept
      |cleanest|simplest|trade-off|tradeoff|so i will|abandon*|scrap*|ruled out|recommend*|on purpose|deliberate*
      |intentional*|i left|i made|i am leaving|i am using|replaced .. with|replace .. with|dropped|dropping
      |the approach|approach :|verdict|ended up|easier to|wins over|we take|ruling .. out|resolved to|replaces
      |stop using|leaving .. as|commit to|committed to|to stay|propose*|source of truth|i replaced|i am putting
      |my mind|separate pr|stays|is out :|is out ,|is out because|i am taking|we keep|we use|throw .. out`,
    cause: `^aha|reason :|disagree*|clobber*|wipes
      |to blame|at fault|because|cause|caused by|causes|causing|turns out|turned out|explains|is why|why it|due to|culprit
      |stems from|comes from|come from|coming from|comes down to|boils down to|the issue is|issue :|the problem is
      |problem :|bug :|hence|therefore|thus|consequence of|underlying|found it|figured out|real issue|triggered by
      |happens when|a race|race condition|is never|overwrit*|collid*|mismatch*|which means|given that|so that is
      |off-by-one|that is where|so the|so it|so they|, as it|, as we|since the|since it|since we|since they|lacks
      |strips|swallow*|the bug|why :|is shared|bug in|the reason|traced it|traced to|trace back|traces back|bit us`,
    failed: `still will not|still does not|still can not|got us nowhere|no luck|dead end|rolled back|backed out|gave up|give up|giving up|still fail*|same error|broke|tried
      |no effect|not an option|no way around|without success|no difference|neither .. nor|nowhere|inconclusive
      |off the table|ineffective|can not get|pointless|no improvement|not worked|not work|not help|not fix
      |not solve|made .. worse|got worse
      |no longer compiles|no longer builds|did not change|not compile|not build|i reverted|reverted it|non-starter|no-go|forbids|refuses
      |^reverted|reverted the|reverted my`,
    finding: `note that|note :|note to self|insight|interesting|measured|on average|found that|discovered|learned
      |confirmed|confirms|verified that|indicates|is set to|defaults to|the default|lives in|points to|belongs to
      |depends on|gotcha|caveat|lesson|answer :|result :|there is no|there are no|not used by|is actually|are actually
      |the difference|read-only|down from|faster|limited to|limit is|is the only|only the|deprecated|renamed|observed
      |proves|suggests|is ignored|already has|already in|already have|, not|it is .. not|rely on|duplicates|overrides
      |slower than|versus|has no|without a|id :|is valid|only works|is stored|are stored|is configured|listens on
      |maps to|does not exist|stuck|unsupported|crash*|broken|not supported|does not support|hangs|impossible
      |not possible|out of memory|timed out|unable to|could not|fails with|still not`,
    fact: `takes over|we only have
      |by the way|btw|fyi|my name|the customer|account number|order number|deadline|the password|address :|in charge
      |contact|lives in|our|is .. by|phone number|based in|works for|owned by`,
    open: `for the moment|get back to|what is left|left to do|dummy|still red|still failing
      |got round to|got around to|gotten around to|still need*|still have to|fixme|come back|revisit*|for now|for the time being|stubbed|stubs|not .. yet
      |yet to|next up|what remains|for later|later on|follow-up|postpone*|defer*|parked|blocked on
      |blocked until|waiting for|waiting on|unresolved|open question*|placeholder|hardcoded|not implemented|no-op
      |remains to|unfinished|not done|wip|to be done|will need to|untested|not tested|unclear|not sure|somebody should
      |someone has to|eventually|once the|once .. is|once .. are|until the|until .. is|after the release
      |after the merge|before this|at some point|workaround|commented out|have yet|is next|at present|not touched
      |untouched|needs a|need to fix|still missing|on hold|unanswered|not looked at|todo :|a todo|loose end*|ought to`,
  },
  hints: `plan|number|their|called|so|same|only|should|ensure|without|keep|stay|stays|require*|every|please|at least
    |by default|allowed|go through|actually|wrong|instead|rather|mistake|^no|^not|better|i think|i would|easier
    |approach|replac*|since|trigger*|conflict*|missing|problem|issue|bug|why|race|unless|assum*|means|prevent*|ignores
    |reason|until|silently|falls back to|fall back to|fails|failed|failing|failure|error*|try|trying|but|however
    |does not|did not|is not|are not|was not|can not|probably|likely|already|currently|seems|appears|shows|found
    |measur*|my|later|yet|next|remain*|need*|wait*|skip*|open|question|disabled|still|pending|once|blocked|the correct
    |revert*|temporar*`,
  verbs: `is|are|was|were|has|have|had|takes|took|returns|returned|uses|used|contains|lives|expects|requires|needs
    |supports|goes|go|runs|run|stores|reads|writes|sends|receives|accepts|rejects|shares|exists|does|did|costs|gets
    |keeps|holds|owns|handles|maps|comes|counts|starts|ends|stays|works|matches|ignores|covers|adds|drops|makes|made
    |gives|calls|fires|hits|carries|reports|lacks|wants|breaks|stops|removes|trust|carry|accept|return|will|would
    |can|may|should|must|just|also|use|need|take|contain|live|expect|depends|fail|fails|wins|lost|replaces|blocks
    |says|means|sets`,
  intents: `^let me|, let me|: let me|now let me|^let's|^i will|^i am|^i need to|^i should|^i want to|i will now
    |i will check|^now i|^next|^then i|i am going to|^continuing|^waiting|^still waiting
    |next step*|next .. step*|next .. action*|^we will now|^we are now|^we are on|^we are currently
    |^currently on|^the current page|^current page|^i can proceed
    |^the user wants|^the user asks|^the user needs|^the user requests|^the user is goal|^the task is|^the task requires
    |^the goal is`,
  looks: `check*|look|am looking|read*|re-read*|run*|rerun*|wait*|verify*|inspect*|trac*|review*|confirm*|examin*
    |investigat*|explor*|understand*|search*|find|test*|think*|see|continu*|start*
    |fetch*|get more|click*|navigat*|scroll*|proceed*|go back|return to|open the`,
  progress: `^i have|^i can|^i would|^i see|^i also|^we can|^now|^first ,|^first i|^running|^checking|^looking|^adding
    |^starting|^opening|^writing|^here is|^here are|^done|^all tests|^tests|^great|^perfect|^good|^excellent|^ok|^okay
    |^sure|^yes|^just a|^if you|^would you|^ready|^thought :|^step|^added|^updated|^created|^implemented|^removed
    |^committed|^pushed|^summary|all green|tests pass|tests passed|is clean|is green|are green|as expected|is complete
    |is done|successfully|what changed|files changed|anything else|can help|is ready|is running|in parallel|now have
    |still running|one moment|^waiting for the|^searching`,
  smallTalk: `ok|okay|thanks|yes|yep|yeah|sure|great|perfect|good|go on|go ahead|continue|proceed|do it|next|hello|got it
    |i see|right|exactly|correct|please|ready|done|fine|hmm`,
  abbreviations: 'e.g|i.e|etc|vs|approx|mr|mrs|dr|no|fig|inc|st',
};
