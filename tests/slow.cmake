# The tests that take long under the address sanitizer, each with what takes its time. `make asan` leaves them out: their code is
# also run by shorter tests. Tests that read damaged or arbitrary bytes stay in, however long they take. ctest reads this list, and
# tests/slow/run.py checks it.
foreach(test
  Atoms.OfBetaAtZeroAndOneHaveTheProbabilityOfWhatRoundsThere<double>  # millions of draws
  Atoms.OfBetaAtZeroAndOneHaveTheProbabilityOfWhatRoundsThere<float>  # millions of draws
  Atoms.OfDirichletAtZeroAndOneHaveTheProbabilityOfWhatRoundsThere<double>  # millions of draws
  Atoms.OfDirichletAtZeroAndOneHaveTheProbabilityOfWhatRoundsThere<float>  # millions of draws
  BamcpValue.ApproachesTheOptimumOfAnyProblem  # thousands of searches
  BamcpValue.ApproachesTheOptimumOfBandits  # thousands of searches
  BamcpValue.GoesForTheCueOfTheMaze  # thousands of searches
  BamcpValue.MoreSimulationsEarnMore  # thousands of searches
  BbrlDistributions.DrawTheRowsOfTheirDefinitions  # millions of draws
  BestOfPlans.IsNotFlatteredByTheWorldsThatChoseIt  # a mean over many draws
  BetaBeliefOnTreasureMap.RanksTheBestCellUniformly  # a histogram of many draws
  BetaBeliefOnTreasureMap.RanksTheTruthUniformlyAmongItsDraws  # a histogram of many draws
  BetaBeliefOnTreasureMap.RanksTheTruthUniformlyWhenMovingComesFirst  # a histogram of many draws
  BetaField.HasItsLaw  # millions of draws
  BetaField.HasItsLawInAThousandClasses  # millions of draws
  BetaField.TakesFromTheSlowWayWhatTheFastWayLacks  # millions of draws
  CashingEstimators.AreHonestWhereTransitionsAreKnown  # a mean over many draws
  CashingEstimators.AreHonestWhereTransitionsAreUnknown  # a mean over many draws
  ExpectedCashedReward.IsHonestOnABandit  # a mean over many draws
  IntervalCoverage.BootstrapsMissAsOftenAsThoseOfScipy  # thousands of resamplings
  PcrSearchValue.ApproachesTheOptimumOfBandits  # thousands of searches
  PcrSearchValue.ApproachesTheOptimumOfMaps  # thousands of searches
  PcrSearchValue.ApproachesTheOptimumWhereMovesAreUnknown  # thousands of searches
  PcrSearchValue.FindsOutWhatIsWorthFindingOut  # thousands of searches

  LearnersValue.LearnersComeCloseToTheOptimumAmongInfinitelyManyEnvironments  # thousands of episodes
  LearnersValue.TablesComeCloseToTheOptimumHoweverTheyLearnCrossValues  # thousands of episodes
  LearnersValue.PlainTablesComeCloseToTheOptimum  # thousands of episodes
  Bootstrap.IntervalsAreThoseOfScipy  # thousands of resamplings
  BoundSearch.BoundsEveryActionWhereverItIsAsked  # searches until the bounds meet
  BoundSearch.EnclosesTheTruthAtEveryMomentAndFindsIt  # searches until the bounds meet
  BoundSearch.FewerPlansAndNoTablesAtAllAreStillBounds  # searches until the bounds meet
  CashedSearch.IsCertainOnlyOfTheBest  # thousands of searches
  CashedSearch.MeetsTheExactValue  # searches until the bounds meet
  CellMethods.LearnOnAGridOfNormalCellsAlikeForAnyThreads  # trains every method twice
  Comparisons.GoOnWithoutAMethodThatFails  # a thousand episodes of each method
  CrossSolver.TreatsAKingGridLikeItsTable  # grids of many sizes
  Evaluation.IsTheSameForAnyThreadsAndGivesAllPoliciesTheSameWorlds  # a search at every step of many episodes
  ExactLimit.CountsABeliefStateOnceHoweverOftenItIsMet  # a belief that very many histories lead to
  ExactSolution.EqualsBruteForceOnTreasureMapsOfBothOrders  # a brute force
  ExactSolution.ValueIsTheMeanReturnOfItsPolicy  # hundreds of thousands of episodes
  ExactThreads.DoNotChangeABitWhereThereIsWorkForAllOfThem  # hundreds of thousands of beliefs
  LabCli.ThreadsNeverChangeAResult  # trains a method three times
  ProblemFiles.SayTheirValuesInAComment  # solves every example
  Registry.NoPolicyBeatsTheOptimumOnAverage  # 300 episodes of every method and problem
  Reports.AreTheSameBytesForAnyThreadsAndAgain  # makes a report three times
  Reports.SayWhatTheStoreSays  # makes a large report
  RunStoreParts.RepeatedEpisodesAreWhatTheirStepsEarned  # a plan at every step
  SignatureCommand.IsTheSameForAllKernelsAndThreads  # the whole signature several times
  Tabular.LearnersConvergeToTheExactValue  # trains until nothing changes
  Tabular.LearnersConvergeWithACueThatMayLie  # trains until nothing changes
  TestEpisode.DoesNotDependOnTheOnesBefore  # episodes of ten methods on five problems
  Traces.DoWithoutValuesWhereTheyWouldTakeTooLong  # a large problem
  Traces.EarnWhatTheTestEpisodesEarned  # many traced episodes
  ValueLearner.LearnsThatTheMapIsWorthAVisit  # trains a network
  ValueLearnerThreads.NeverChangeAResult  # trains a network several times
)
  set_tests_properties(${test} PROPERTIES LABELS slow)
endforeach()
